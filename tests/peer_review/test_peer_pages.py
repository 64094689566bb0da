"""A student's page of peers and the page of a pairing: what was exchanged, and what can be done about it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import Anonymity, AuditState, FeedbackKind, ResponseKind
from grading.models import Audit, Cohort, FeedbackReport, Finding, FindingSighting, Pairing
from tests.factories.example_report import report_json
from tests.factories.peer_round_work import MARKDOWN, Circle, client_of, read
from tests.factories.peers import (
    FeedbackReportFactory,
    FindingResponseFactory,
    PairingFactory,
    RoundMemberFactory,
)
from tests.factories.people import everywhere, staff_user, student
from tests.factories.work import AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def words(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.partition("<main")[2].partition(">")[2]).split())


def glance(page: str) -> list[str]:
    return [
        words(f"<main>{value}")
        for value in re.findall(r"<dd>(.*?)</dd>", page.partition('class="figures"')[2], re.DOTALL)[
            :4
        ]
    ]


def test_without_a_round_the_page_says_so():
    circle = Circle()
    outsider = student(circle.cohort)
    assert "No round has started in this cohort." in read(outsider, circle.page("peers"))


def test_before_anything_was_written_everything_is_owed():
    circle = Circle()
    page = read(circle.ada, circle.page("peers"))
    assert glance(page) == ["0 of 1 report", "0 reports with 0 findings", "0 of 0", "0 of 0 fixed"]
    assert page.count(">due</span>") == 1
    assert faults_of(page) == []


def test_what_was_generated_received_and_answered_is_seen_at_a_glance():
    circle = Circle()
    circle.audited(circle.ada)
    circle.audited(circle.cy)
    with everywhere():
        finding = Finding.objects.get(student=circle.ada)
    FindingResponseFactory.create(finding=finding, kind=ResponseKind.DEFERRED)
    page = read(circle.ada, circle.page("peers"))
    assert glance(page) == [
        "1 of 1 report",
        "1 report with 1 finding",
        "1 of 1: 1 deferred",
        "0 of 1 fixed",
    ]
    assert "Peer 482" in page
    assert "Peer 483" in page
    assert [name for name in ("Bob", "Beta", "Cy Gamma", circle.bob.email) if name in page] == []
    assert faults_of(page) == []


def test_the_score_of_the_first_attempt_and_the_last_stand_side_by_side():
    circle = Circle()
    AuditFactory.create(
        submission=circle.work[circle.ada.pk], done=True, overall_score=2.0, report=report_json()
    )
    again = circle.handed_in(circle.ada, attempt=2)
    AuditFactory.create(submission=again, done=True, overall_score=3.5, report=report_json())
    assert "score 2.0 → 3.5 of 5" in glance(read(circle.ada, circle.page("peers")))[3]


@pytest.mark.parametrize(
    ("made", "state"),
    [
        ({"state": AuditState.QUEUED, "done": False, "report": None}, "audit running"),
        ({"failed": True, "done": False, "report": None}, "failed: retry"),
        ({}, "submitted"),
    ],
)
def test_who_audits_sees_what_has_become_of_it(made: dict[str, Any], state: str):
    circle = Circle()
    circle.audited(circle.ada, **made)
    assert f">{state}</span>" in read(circle.ada, circle.page("peers"))


@pytest.mark.parametrize("made", [{"state": AuditState.QUEUED}, {"failed": True}])
def test_who_is_audited_sees_nothing_before_there_is_a_report(made: dict[str, Any]):
    circle = Circle()
    circle.audited(circle.ada, done=False, report=None, **made)
    page = read(circle.bob, circle.page("peers"))
    assert page.count('class="chip ">not submitted<') == 1
    assert "feedback/" not in page


def test_a_newer_attempt_of_the_peer_is_pointed_out():
    circle = Circle()
    circle.audited(circle.ada)
    circle.handed_in(circle.bob, attempt=2)
    assert "attempt 2 can be audited" in read(circle.ada, circle.page("peers"))


def test_a_pairing_that_was_ended_is_shown_no_more():
    circle = Circle()
    circle.audited(circle.cy)
    with everywhere():
        Pairing.objects.filter(pk=circle.of(circle.cy).pk).update(ended_at=timezone.now())
    assert "Nobody audits you in this round." in read(circle.ada, circle.page("peers"))


def test_after_the_end_of_the_cohort_nothing_between_peers_is_shown():
    circle = Circle()
    circle.audited(circle.cy)
    with everywhere():
        Cohort.objects.update(ends_on=timezone.localdate() - timedelta(days=1))
    page = read(circle.ada, circle.page("peers"))
    assert "peer reports can no longer be read" in page
    assert "Peer 48" not in page


def test_a_student_of_three_and_of_many_is_shown_with_as_many_queries():
    circle = Circle()
    circle.audited(circle.cy)
    few = queries_of(circle)
    for number in range(4):
        other = student(circle.cohort)
        RoundMemberFactory.create(round=circle.round, student=other, alias=f"Peer {900 + number}")
        PairingFactory.create(round=circle.round, auditor=circle.ada, auditee=other)
        pairing = PairingFactory.create(round=circle.round, auditor=other, auditee=circle.ada)
        circle.pairings[other.pk] = pairing
        circle.audited(other)
    assert queries_of(circle) == few


def queries_of(circle: Circle) -> int:
    client = client_of(circle.ada)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(circle.page("peers")).status_code == 200
    return len(queries)


def test_staff_see_the_rounds_of_all_assignments():
    circle = Circle()
    circle.audited(circle.ada)
    circle.audited(circle.cy)
    with everywhere():
        FeedbackReport.objects.filter(subject=circle.bob).update(read_at=timezone.now())
    page = read(staff_user(circle.organization), circle.page("peers"))
    row = words(f"<main>{page.partition('>Round 1</a>')[2].partition('</tr>')[0]}")
    assert row.endswith("Double-blind: neither student knows the other 3 2 of 3 1 of 2")
    assert faults_of(page) == []


def test_an_audit_is_begun_with_one_click_and_not_with_two():
    circle = Circle()
    address = circle.page("pairing", circle.of(circle.ada).pk)
    client = client_of(circle.ada)
    answers = [client.post(address, {"do": "run"}, follow=True).content.decode() for _ in range(2)]
    with everywhere():
        assert Audit.objects.filter(kind="peer").count() == 1
    assert "Your audit of attempt 1 is queued" in answers[0]
    assert "Your audit of this peer is already running." in answers[1]
    assert faults_of(answers[1]) == []


def test_only_who_audits_may_begin():
    circle = Circle()
    address = circle.page("pairing", circle.of(circle.ada).pk)
    teacher = staff_user(circle.organization)
    assert [
        client_of(person).post(address, {"do": "run"}).status_code
        for person in (circle.bob, circle.cy, teacher)
    ] == [404] * 3


def test_a_report_is_brought_along_and_shown():
    circle = Circle()
    file = SimpleUploadedFile("audit.md", MARKDOWN.encode())
    page = client_of(circle.ada).post(
        circle.page("pairing", circle.of(circle.ada).pk), {"file": file}, follow=True
    )
    with everywhere():
        report = FeedbackReport.objects.get()
    assert page.redirect_chain == [(circle.page("feedback", report.pk), 302)]
    assert "Report uploaded." in page.content.decode()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\xff\xfe\x00", "This is not a text file in UTF-8"),
        (b'{"criteria": [', "JSON"),
        (b"x" * 2_000_001, "The limit is 2 MB"),
        (b"", "empty"),
    ],
)
def test_what_cannot_be_taken_is_said_beside_the_file(content: bytes, sentence: str):
    circle = Circle()
    file = SimpleUploadedFile("audit.json", content)
    page = client_of(circle.ada).post(
        circle.page("pairing", circle.of(circle.ada).pk), {"file": file}
    )
    errors = page.content.decode().partition('class="errorlist"')[2].partition("</ul>")[0]
    assert sentence in errors
    assert faults_of(page.content.decode()) == []


@pytest.mark.parametrize(
    ("anonymity", "names"),
    [
        (Anonymity.OPEN, ["Bob Beta", "Ada Alpha"]),
        (Anonymity.SINGLE_BLIND, ["Bob Beta", "Peer 481"]),
        (Anonymity.DOUBLE_BLIND, ["Peer 482", "Peer 481"]),
    ],
)
def test_each_side_is_named_as_the_other_may_know_it(anonymity: Anonymity, names: list[str]):
    circle = Circle(anonymity)
    address = circle.page("pairing", circle.of(circle.ada).pk)
    pages = [read(reader, address) for reader in (circle.ada, circle.bob)]
    titles = [re.findall(r"<h1>\s*(.*?)\s*</h1>", page) for page in pages]
    assert titles == [[f"I audit {names[0]}"], [f"{names[1]} audits me"]]


def test_staff_see_both_sides_of_a_pairing():
    circle = Circle()
    page = read(staff_user(circle.organization), circle.page("pairing", circle.of(circle.ada).pk))
    assert re.search(r"<h1>\s*Ada Alpha audits Bob Beta\s*</h1>", page)
    assert faults_of(page) == []


def test_the_pages_of_a_report_that_is_brought_outside_any_pairing():
    circle = Circle()
    address = circle.page("bring")
    assert faults_of(read(circle.ada, address)) == []
    file = SimpleUploadedFile("own.md", MARKDOWN.encode())
    done = client_of(circle.ada).post(address, {"direction": "self", "file": file}, follow=True)
    page = done.content.decode()
    assert "My own auditor on my work" in page
    assert "own.md" in read(circle.ada, circle.page("peers"))
    refused = client_of(circle.ada).post(address, {"do": "search"}, follow=True).content.decode()
    assert "Submit first: the audit shows where the reports are." in refused


def test_findings_of_a_withheld_verdict_are_not_counted():
    circle = Circle(release_policy="after_release")
    audit = AuditFactory.create(
        submission=circle.work[circle.ada.pk], done=True, report=report_json()
    )
    circle.add_finding(audit.submission, audit=audit)
    with everywhere():
        assert FindingSighting.objects.filter(audit=audit).count() == 1
    row = words(
        f"<main>{read(circle.ada, circle.page('peers')).partition('Attempt 1')[2].partition('</tr>')[0]}"
    )
    assert row == "judged — not released yet"


def test_what_was_brought_in_no_pairing_stands_apart_and_counts_as_received():
    circle = Circle()
    given = {"pairing": None, "organization": circle.organization, "assignment": circle.assignment}
    given |= {"kind": FeedbackKind.PEER, "brought_by": circle.ada}
    FeedbackReportFactory.create(**given, author=None, subject=circle.ada, original_name="in.md")
    FeedbackReportFactory.create(**given, author=circle.ada, subject=None, original_name="out.md")
    page = read(circle.ada, circle.page("peers"))
    assert glance(page)[:2] == ["0 of 1 report", "1 report with 0 findings"]
    rows = words(f"<main>{page.partition('Uploaded, in no pairing')[2].partition('</table>')[0]}")
    assert rows == (
        "Report Kind Findings out.md on a peer, fits no pairing imported none"
        " in.md received, author unknown imported none"
    )


def test_the_last_look_into_the_repository_is_told_with_what_could_not_be_read():
    circle = Circle()
    for taken, unread in ((0, []), (2, [{"path": "audit/x.pdf", "why": "A PDF cannot be read."}])):
        with everywhere():
            record_activity(
                organization=circle.organization,
                actor=None,
                verb="feedback.searched",
                about=circle.work[circle.ada.pk],
                taken=taken,
                unread=unread,
            )
    page = words(read(circle.ada, circle.page("peers")))
    assert "2 new reports, 1 not readable. audit/x.pdf : A PDF cannot be read." in page
    assert "0 new reports" not in page
