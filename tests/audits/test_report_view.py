"""Filters, folds and links of a report's page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from grading.core.enums import ReleasePolicy
from grading.engine.report import parse_report
from grading.models import Assignment, Audit, Enrollment
from grading.report_pages.criterion import anchor_of
from grading.report_pages.page_view import page_view
from grading.report_pages.report_page import present_report
from grading.submissions.queries import (
    attempts_of,
    criteria_before,
    staff_attempt,
    visible_attempts,
)
from tests.factories.example_report import report_json
from tests.factories.graded_work import page_of_audit, signed_in
from tests.factories.people import everywhere
from tests.factories.released import Released, judged
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
FOLD = re.compile(r"<details[^>]*>")


def report_of(criteria: int = 3, passing: int = 0) -> dict[str, Any]:
    """Return a report whose last `passing` criteria have no failed check."""
    document = report_json(criteria=criteria)
    for row in document["criteria"][criteria - passing :]:
        for check in row["checks"]:
            check["met"] = True
    return document


def audit_of(document: dict[str, Any], assignment: Assignment, reader: Enrollment) -> Audit:
    submission = SubmissionFactory.create(assignment=assignment, student=reader)
    made: Audit = AuditFactory.create(submission=submission, done=True, report=document)
    return made


def page(audit: Audit, reader: Any, **query: str) -> str:
    return str(signed_in(reader).get(page_of_audit(audit), query).content.decode())


def view(audit: Audit, reader: Any, **query: str) -> Any:
    return signed_in(reader).get(page_of_audit(audit), query).context["view"]


def filters(report_page: Any) -> dict[str, list[str]]:
    return {row.key: [c.record.id for c in row.criteria] for row in report_page.filters}


def test_filter_shows_criteria_with_failed_checks_and_folds_the_others(
    assignment: Assignment, ada: Enrollment
) -> None:
    audit = audit_of(report_of(3, passing=1), assignment, ada)
    html = page(audit, ada.user, show="failed")
    before_fold, fold, after_fold = html.partition("The other criteria <small>(1)</small>")
    articles = r'<article class="panel criterion stack" id="c-(\w+)"'
    assert re.findall(articles, before_fold) == ["git_forensics", "state_management"]
    assert (bool(fold), re.findall(articles, after_fold)) == (True, ["graph_orchestration"])
    chosen = r'<a href="[^"]*show=\w+[^"]*"[^>]* aria-current="true">(.*?)</a>'
    assert re.findall(chosen, html) == ["With failed checks (2)"]


def test_first_attempt_has_no_filter_of_changes(assignment: Assignment, ada: Enrollment) -> None:
    audit = audit_of(report_of(2), assignment, ada)
    names = ["git_forensics", "state_management"]
    assert filters(view(audit, ada.user)) == {"all": names, "failed": names}


def test_report_without_a_failed_check_says_so(assignment: Assignment, ada: Enrollment) -> None:
    html = page(audit_of(report_of(2, passing=2), assignment, ada), ada.user, show="failed")
    assert "No check of this report failed." in html
    assert "The other criteria <small>(2)</small>" in html


@pytest.mark.parametrize("query", [{}, {"show": "everything", "open": "1", "print": "x"}])
def test_unknown_choices_show_everything_folded(query: Mapping[str, str]) -> None:
    criteria = present_report(parse_report(report_of(2))).criteria
    report_page = page_view(query, criteria, None)
    assert (
        report_page.shown.key,
        report_page.others,
        report_page.is_open,
        report_page.is_whole,
    ) == (
        "all",
        (),
        False,
        False,
    )


@pytest.mark.parametrize(
    ("query", "is_whole"), [({"open": "all"}, False), ({"print": "all"}, True)]
)
def test_everything_but_the_contents_can_be_unfolded(
    assignment: Assignment, ada: Enrollment, query: dict[str, str], is_whole: bool
) -> None:
    audit = audit_of(report_of(2), assignment, ada)
    body = page(audit, ada.user, **query).partition('class="report-parts"')
    folds = FOLD.findall(body[2])
    assert [fold for fold in folds if " open" not in fold] == []
    assert len(folds) > len(FOLD.findall(body[0]))
    assert ('class="report-page whole"' in body[0]) is is_whole


def test_page_is_folded_but_for_the_first_cited_lines(
    assignment: Assignment, ada: Enrollment
) -> None:
    html = page(audit_of(report_of(2), assignment, ada), ada.user)
    is_open = [fold for fold in FOLD.findall(html) if " open" in fold]
    assert set(is_open) == {'<details class="citation" open>'}


def test_choices_are_kept_together(assignment: Assignment, ada: Enrollment) -> None:
    html = page(audit_of(report_of(2), assignment, ada), ada.user, show="failed")
    assert 'href="?show=failed&amp;open=all#criteria-heading">Expand all</a>' in html
    assert 'href="?show=failed#criteria-heading">Fold all</a>' in html


def test_link_to_a_criterion_outlives_a_new_name_and_a_new_order() -> None:
    document = report_of(2)
    document["criteria"].reverse()
    document["criteria"][0]["name"] = "Another name"
    criteria = present_report(parse_report(document)).criteria
    assert [(row.anchor, row.old_anchor) for row in criteria] == [
        ("c-state_management", "criterion-1"),
        ("c-git_forensics", "criterion-2"),
    ]


def test_any_id_of_a_criterion_makes_one_anchor_without_spaces() -> None:
    assert anchor_of('a b"c/é') == "c-a%20b%22c%2F%C3%A9"


def test_every_link_within_the_page_has_its_target(assignment: Assignment, ada: Enrollment) -> None:
    audit = audit_of(report_of(3, passing=1), assignment, ada)
    for show in ("all", "failed"):
        html = page(audit, ada.user, show=show)
        ids = re.findall(r'\bid="([^"]+)"', html)
        assert sorted(set(ids)) == sorted(ids)
        assert set(re.findall(r'href="#([^"]+)"', html)) - set(ids) == set()
        assert {"criterion-1", "criterion-2", "criterion-3", "c-git_forensics"} <= set(ids)


def test_ids_of_evidence_stand_only_where_they_link(
    assignment: Assignment, ada: Enrollment
) -> None:
    html = page(audit_of(report_of(3), assignment, ada), ada.user)
    assert re.findall(r">[^<]*\bE-[0-9a-f]{8}\b", re.sub(r"<a [^>]*>.*?</a>", "", html)) == []


def test_contents_name_every_part_and_the_score_of_each_criterion(
    assignment: Assignment, ada: Enrollment
) -> None:
    html = page(audit_of(report_json(criteria=2, status="needs_review"), assignment, ada), ada.user)
    contents = html.partition('class="contents')[2].partition("</nav>")[0]
    assert re.findall(r'href="#([^"]+)"', contents) == [
        "next-heading",
        "glance-heading",
        "criteria-heading",
        "c-git_forensics",
        "c-state_management",
        "remediation",
        "graphs",
        "record",
    ]
    text = " ".join(re.sub(r"<[^>]+>", " ", contents).split())
    assert "Git forensics needs review State management rigour 4 of 5" in text


@pytest.mark.usefixtures("redis")
def test_changed_criteria_have_another_score_than_in_the_attempt_before() -> None:
    work = Released(criteria=2)
    audit = judged(work.assignment, student=work.student, attempt=2, git_forensics=3)
    for reader in (work.student.user, work.teacher):
        assert filters(view(audit, reader))["changed"] == ["git_forensics"]


@pytest.mark.usefixtures("redis")
def test_scores_are_compared_with_those_that_the_reader_may_see() -> None:
    work = Released(criteria=2, release_policy=ReleasePolicy.AFTER_RELEASE)
    judged(work.assignment, student=work.student, attempt=2, git_forensics=3)
    with everywhere():
        third = SubmissionFactory.create(
            assignment=work.assignment, student=work.student, attempt=3
        )
        rows = attempts_of(work.student, work.assignment)
        readers = (visible_attempts(rows), [staff_attempt(row) for row in rows])
        before = [criteria_before(third, attempts) for attempts in readers]
    assert [criteria["git_forensics"][1].score for criteria in before if criteria] == [5, 3]


@pytest.mark.usefixtures("redis")
def test_second_attempt_after_one_that_failed_has_no_filter_of_changes() -> None:
    work = Released(criteria=2)
    failed = AuditFactory.create(
        failed=True, submission__assignment=work.assignment, submission__student__name="Bo"
    )
    student = failed.submission.student
    audit = judged(work.assignment, student=student, attempt=2)
    assert "changed" not in filters(view(audit, work.teacher))


@pytest.mark.usefixtures("redis")
def test_filter_of_changes_costs_its_student_no_query_for_attempts(
    django_assert_max_num_queries: Any,
) -> None:
    work = Released(criteria=2)
    audit = judged(work.assignment, student=work.student, attempt=2, git_forensics=3)
    for reader in (work.student.user, work.teacher):
        client = signed_in(reader)
        # The findings of all attempts take eight, and this student opens the report.
        with django_assert_max_num_queries(21):
            client.get(page_of_audit(audit))
