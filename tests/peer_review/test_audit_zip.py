"""The audit folder of one's own work: all three folders, through the reader's editions, under safe names."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import pytest

from grading.core.enums import EntryKind
from grading.peer_review.feedback.edition_keys import export_key
from tests.factories.example_report import REPO_URL, report_json
from tests.factories.peer_round_work import Circle, client_of
from tests.factories.peers import CommunicationEntryFactory
from tests.factories.people import staff_user
from tests.factories.work import AuditFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def unpacked(circle: Circle, whose: Any) -> dict[str, str]:
    response: Any = client_of(whose).get(circle.page("audit-zip"))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    return {name: archive.read(name).decode() for name in archive.namelist()}


def test_a_student_without_anything_gets_the_readme_and_an_empty_log():
    circle = Circle()
    assert list(unpacked(circle, circle.ada)) == [
        "audit/README.md",
        "audit/proactive_communication.md",
    ]


def test_each_report_lies_in_its_folder_as_markdown_and_json():
    circle = Circle()
    own = AuditFactory.create(
        submission=circle.work[circle.ada.pk], done=True, report=report_json(criteria=2)
    )
    generated, received = circle.audited(circle.ada), circle.brought(circle.cy)
    files = unpacked(circle, circle.ada)
    assert sorted(set(files) - {"audit/README.md", "audit/proactive_communication.md"}) == sorted(
        f"audit/{name}.{suffix}"
        for name in (
            f"report_onself_generated/attempt-1-{own.pk}",
            f"report_onpeer_generated/round-1-{export_key(generated, 'author')}",
            f"report_bypeer_received/round-1-{export_key(received, 'subject')}",
        )
        for suffix in ("json", "md")
    )
    assert (
        json.loads(files[f"audit/report_onself_generated/attempt-1-{own.pk}.json"])["repo_url"]
        == REPO_URL
    )


def test_nothing_in_it_tells_who_the_peers_are():
    circle = Circle()
    circle.audited(circle.ada)
    circle.brought(circle.cy, author=circle.cy)
    folders = unpacked(circle, circle.ada)
    everything = "\n".join([*folders, *folders.values()])
    other_words = [
        word
        for student in (circle.bob, circle.cy)
        for word in (*student.name.split(), student.email)
    ]
    assert [word for word in other_words if word in everything] == []
    generated = next(
        text for name, text in folders.items() if "onpeer" in name and name.endswith("json")
    )
    assert REPO_URL not in generated


def test_a_verdict_that_is_withheld_is_in_no_folder():
    circle = Circle(release_policy="after_release")
    AuditFactory.create(
        submission=circle.work[circle.ada.pk], done=True, report=report_json(criteria=2)
    )
    assert [name for name in unpacked(circle, circle.ada) if "onself" in name] == []


def test_an_audit_by_a_peer_is_no_audit_on_oneself():
    circle = Circle()
    circle.audited(circle.cy)
    assert [
        name.split("/")[1] for name in unpacked(circle, circle.ada) if name.endswith("json")
    ] == ["report_bypeer_received"]


def test_the_log_is_dated_and_says_what_each_entry_tells_of():
    circle = Circle()
    entry = CommunicationEntryFactory.create(
        assignment=circle.assignment,
        student=circle.ada,
        kind=EntryKind.BLOCKER,
        text="The parser hangs.",
    )
    log = unpacked(circle, circle.ada)["audit/proactive_communication.md"]
    assert log.splitlines()[2:5] == [
        f"## {entry.posted_at:%Y-%m-%d} — Blocker",
        "",
        "The parser hangs.",
    ]


def test_staff_have_no_folder_of_their_own():
    circle = Circle()
    assert (
        client_of(staff_user(circle.organization)).get(circle.page("audit-zip")).status_code == 404
    )
