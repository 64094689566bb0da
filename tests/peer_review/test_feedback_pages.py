"""A report on a peer's work as each side sees it, to read and to download."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from grading.core.enums import Anonymity, FeedbackKind
from grading.engine.imports import read_report_text
from grading.findings.answers import answer_finding
from grading.models import Activity, FeedbackReport, Finding
from grading.peer_review.feedback.edition_keys import export_key
from tests.factories.example_report import COMMIT, REPO_URL, report_json
from tests.factories.peer_round_work import MARKDOWN, SCRIPT, Circle, client_of, read
from tests.factories.peers import FeedbackReportFactory
from tests.factories.people import everywhere, staff_user
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
WITHHELD = "[withheld]"


def opened_at(report: FeedbackReport) -> Any:
    with everywhere():
        return FeedbackReport.objects.get(pk=report.pk).read_at


def test_who_audits_blind_reads_the_report_without_what_tells_whose_work_it_is():
    circle = Circle()
    report = circle.audited(circle.ada)
    page = read(circle.ada, circle.page("feedback", report.pk))
    assert "My report on Peer 482" in page
    assert "signed by this site" in page
    assert "Git forensics" in page
    assert [
        word for word in (REPO_URL, COMMIT[:12], "Bob", "Beta", circle.bob.email) if word in page
    ] == []
    # An open report links its places; this edition has nowhere to link to.
    assert ("src/tools/git_forensics.py" in page, 'href="https:' in page) == (True, False)
    assert faults_of(page) == []


def test_whose_work_it_is_reads_it_whole_and_not_who_audited():
    circle = Circle()
    report = circle.audited(circle.ada)
    page = read(circle.bob, circle.page("feedback", report.pk))
    assert "Peer 481 on my work" in page
    assert "src/tools/git_forensics.py" in page
    assert [word for word in ("Ada", "Alpha", circle.ada.email) if word in page] == []
    assert faults_of(page) == []


def test_who_audited_is_told_that_their_findings_were_answered_and_not_what_was_said_to_them():
    circle = Circle(Anonymity.OPEN)
    report = circle.audited(circle.ada)
    with everywhere():
        finding = Finding.objects.get()
        answer_finding(
            finding=finding, kind="contested", reason="You misread it.", by=circle.bob.user
        )
    address = f"{circle.page('findings')}{finding.pk}/"
    form = read(circle.bob, address)
    assert ("You misread it." in form, "your peers only see that you answered" in form) == (
        True,
        True,
    )
    pages = [
        read(circle.ada, page)
        for page in (
            circle.page("peers"),
            circle.page("pairing", circle.of(circle.ada).pk),
            circle.page("feedback", report.pk),
        )
    ]
    assert ("1 of 1 answered" in pages[0], ["You misread it." in page for page in pages]) == (
        True,
        [False] * 3,
    )
    assert client_of(circle.ada).get(address).status_code == 404


def test_staff_read_who_wrote_on_whom():
    circle = Circle()
    page = read(
        staff_user(circle.organization), circle.page("feedback", circle.audited(circle.ada).pk)
    )
    assert re.search(r"<h1>\s*Ada Alpha on Bob Beta\s*</h1>", page)
    assert faults_of(page) == []


def test_the_first_time_its_subject_opens_it_is_written_down():
    circle = Circle()
    report = circle.audited(circle.ada)
    address = circle.page("feedback", report.pk)
    for other in (circle.ada, staff_user(circle.organization)):
        read(other, address)
    assert opened_at(report) is None
    read(circle.bob, address)
    first = opened_at(report)
    read(circle.bob, address)
    with everywhere():
        assert Activity.objects.filter(verb="feedback.read").count() == 1
    assert opened_at(report) == first is not None


def test_before_the_release_there_are_findings_and_no_scores():
    circle = Circle(release_policy="after_release")
    report = circle.audited(circle.ada)
    for reader in (circle.ada, circle.bob):
        page = read(reader, circle.page("feedback", report.pk))
        assert "Call git with a list of arguments instead of a shell line." in page
        assert [
            word
            for word in (" of 5", "needs review", "The arguments", 'class="verdict"')
            if word in page
        ] == []
        assert faults_of(page) == []


@pytest.mark.parametrize("status", ["needs_review", "degraded"])
def test_a_report_without_a_verdict_shows_no_score_of_all(status: Any):
    circle = Circle()
    made = {
        "report": report_json(criteria=2, status=status),
        "state": status,
        "overall_score": None,
    }
    page = read(circle.bob, circle.page("feedback", circle.audited(circle.ada, **made).pk))
    assert {"needs_review": "Needs review", "degraded": "Not judged"}[status] in page
    assert faults_of(page) == []


def test_while_its_audit_runs_there_is_nothing_to_read():
    circle = Circle()
    report = circle.audited(circle.ada, done=False, report=None)
    address = circle.page("feedback", report.pk)
    assert "The audit is still running" in read(circle.ada, address)
    assert client_of(circle.bob).get(address).status_code == 404
    downloads = [
        circle.page(f"feedback-{kind}", report.pk) for kind in ("json", "markdown", "original")
    ]
    assert [client_of(circle.ada).get(download).status_code for download in downloads] == [
        404,
        404,
        404,
    ]


def test_an_imported_report_is_shown_as_text_with_where_it_was_read():
    circle = Circle(Anonymity.OPEN)
    misfits = [{"code": "repository_differs", "sentence": "Another one."}]
    report = circle.brought(circle.ada, misfits=misfits, reading=reading(text=SCRIPT))
    for reader in (circle.ada, circle.bob):
        page = read(reader, circle.page("feedback", report.pk))
        assert "imported, unsigned" in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "<code>src/graph.py:12</code>" in page
        assert "Another one." in page
        assert faults_of(page) == []


def test_who_guesses_whose_work_it_is_is_not_told_whether_they_are_right():
    circle = Circle()
    report = circle.brought(
        circle.ada, misfits=[{"code": "repository_differs", "sentence": "Another one."}]
    )
    address = circle.page("feedback", report.pk)
    assert [
        "Another one." in read(person, address)
        for person in (circle.ada, staff_user(circle.organization))
    ] == [False, True]


def test_downloads_are_the_readers_edition_under_a_name_that_nobody_chose():
    circle = Circle()
    report = circle.audited(circle.ada)
    whole = client_of(circle.bob).get(circle.page("feedback-json", report.pk))
    blind = client_of(circle.ada).get(circle.page("feedback-json", report.pk))
    assert json.loads(whole.content)["repo_url"] == REPO_URL
    assert json.loads(blind.content)["repo_url"] == WITHHELD
    names = [answer["Content-Disposition"].split("feedback-")[1] for answer in (whole, blind)]
    assert names == [f'{export_key(report, side)}.json"' for side in ("subject", "author")]
    assert len({*names, f'{report.pk}.json"'}) == 3
    text = client_of(circle.ada).get(circle.page("feedback-markdown", report.pk)).content.decode()
    assert text.startswith("# Audit of ")
    assert REPO_URL not in text


def test_an_imported_report_can_be_taken_as_markdown_that_is_harmless():
    circle = Circle()
    report = circle.brought(
        circle.ada, reading=reading(text=SCRIPT, action="[Click](https://x.example)")
    )
    text = client_of(circle.ada).get(circle.page("feedback-markdown", report.pk)).content.decode()
    assert (
        text.splitlines()[2]
        == "> Imported: written by another program and not signed by this site."
    )
    assert "### Git forensics: 2/5" in text
    assert (
        "- src/graph.py:12: \\<script\\>alert(1)\\</script\\> \\[Click\\](https://x.example)"
        in text
    )


def test_the_file_as_it_was_brought_is_given_as_plain_text():
    circle = Circle()
    report = circle.brought(circle.ada)
    own = client_of(circle.ada).get(circle.page("feedback-original", report.pk))
    assert (own.content.decode(), own["Content-Type"]) == (MARKDOWN, "text/plain; charset=utf-8")
    other_html = (
        client_of(circle.bob).get(circle.page("feedback-original", report.pk)).content.decode()
    )
    assert "Bob" not in other_html
    assert "Git forensics" in other_html


def test_a_platforms_report_has_no_file_that_was_brought():
    circle = Circle()
    address = circle.page("feedback-original", circle.audited(circle.ada).pk)
    assert client_of(circle.ada).get(address).status_code == 404


def test_a_report_in_no_pairing_is_for_who_brought_it():
    circle = Circle()
    given = {
        "pairing": None,
        "organization": circle.organization,
        "assignment": circle.assignment,
        "kind": FeedbackKind.PEER,
    }
    generated = FeedbackReportFactory.create(
        **given, author=circle.ada, subject=None, brought_by=circle.ada, reading=reading()
    )
    received = FeedbackReportFactory.create(
        **given, author=None, subject=circle.bob, brought_by=circle.bob, reading=reading()
    )
    assert "My report on a peer" in read(circle.ada, circle.page("feedback", generated.pk))
    assert "A peer on my work" in read(circle.bob, circle.page("feedback", received.pk))
    assert client_of(circle.bob).get(circle.page("feedback", generated.pk)).status_code == 404
    assert client_of(circle.ada).get(circle.page("feedback", received.pk)).status_code == 404


def reading(**finding: Any) -> dict[str, Any]:
    """Return MARKDOWN as parsed, with one finding that is changed."""
    understood = read_report_text(MARKDOWN)
    understood["findings"][0] |= finding
    return understood
