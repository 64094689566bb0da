"""Places and commits of a report, a receipt and the attempts, linked wherever they are shown."""

from __future__ import annotations

import re

import pytest

from grading.core.enums import ReleasePolicy
from grading.models import Assignment, Enrollment
from tests.factories.example_report import COMMIT, REPO_URL, report_json
from tests.factories.graded_work import page_of_audit, signed_in
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
BLOB = f"{REPO_URL}/blob/{COMMIT}/"
SECTIONS = {
    "headline": ('<ul class="facts">', "</ul>"),
    "next steps": ('id="next-heading"', "</section>"),
    "improvements": ("<summary>How to raise it", "</details>"),
    "citations": ('<details class="citation"', "</details>"),
    "evidence": ('<div class="evidence-item"', "</div>"),
    "remediation": ('id="remediation"', "</ul>"),
    "graph": ('id="graph-heading"', "</section>"),
    "record": ('id="record"', "</dl>"),
}


def report_page(assignment: Assignment, student: Enrollment, repo_url: str = REPO_URL) -> str:
    submission = SubmissionFactory.create(assignment=assignment, student=student, repo_url=repo_url)
    report = report_json() | {"repo_url": repo_url}
    audit = AuditFactory.create(submission=submission, done=True, report=report)
    page: str = signed_in(student.user).get(page_of_audit(audit)).content.decode()
    return page


def links_in(page: str, section: str) -> set[str]:
    start, end = SECTIONS[section]
    part = page.partition(start)[2].partition(end)[0]
    return set(re.findall(r'href="(https:[^"]*)"', part))


def test_every_section_of_a_report_links_its_places(
    assignment: Assignment, ada: Enrollment
) -> None:
    page = report_page(assignment, ada)
    commit = f"{REPO_URL}/commit/{COMMIT}"
    assert links_in(page, "headline") == links_in(page, "record") == {REPO_URL, commit}
    for section in SECTIONS.keys() - {"headline", "record"}:
        links = links_in(page, section)
        assert (section, bool(links)) == (section, True)
        assert {link[: len(BLOB)] for link in links} == {BLOB}


def test_a_local_repository_is_named_without_a_link(
    assignment: Assignment, ada: Enrollment
) -> None:
    page = report_page(assignment, ada, "/srv/git/automaton")
    assert re.findall(r'href="(?:https?:|/srv)[^"]*"', page) == []
    assert page.count("/srv/git/automaton") == 2


@pytest.mark.parametrize("policy", [ReleasePolicy.AFTER_RELEASE, ReleasePolicy.PROVISIONAL])
def test_a_receipt_links_repository_and_commit(
    assignment: Assignment, ada: Enrollment, policy: ReleasePolicy
) -> None:
    assignment.release_policy = policy
    with everywhere():
        assignment.save()
    submission = SubmissionFactory.create(
        assignment=assignment, student=ada, repo_url=REPO_URL, resolved_commit=COMMIT
    )
    is_withheld = policy == ReleasePolicy.AFTER_RELEASE
    audit = AuditFactory.create(submission=submission, done=is_withheld)
    page = signed_in(ada.user).get(page_of_audit(audit)).content.decode()
    assert set(re.findall(r'href="(https:[^"]*)"', page)) == {
        REPO_URL,
        f"{REPO_URL}/commit/{COMMIT}",
    }
