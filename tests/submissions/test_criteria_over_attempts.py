"""Criteria over the attempts: what counts, by hand included; as told where it was released, nothing where withheld."""

from __future__ import annotations

import pytest

from grading.core.enums import ReleasePolicy
from grading.grades.queries.statistics import Cell
from grading.models import Submission
from grading.peer_review.exchange.attempt_history import loop_of
from grading.submissions.queries import criteria_by_attempt
from tests.factories.graded_work import signed_in
from tests.factories.grades import OverrideFactory
from tests.factories.people import everywhere
from tests.factories.released import Released, judged
from tests.factories.work import AuditFactory
from tests.findings.test_findings_pages import page, place

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
FORENSICS, STATE = "Git forensics", "State management rigour"


def seen(
    work: Released, *, is_staff: bool = False
) -> dict[str, list[tuple[int | None, bool] | None]]:
    """By criterion and attempt: (score, whether by hand)."""
    with everywhere():
        turns = loop_of(work.assignment, work.student, is_staff=is_staff).turns
        rows = criteria_by_attempt([turn.attempt for turn in turns])
    return {row.name: [short(cell) for _, cell in row.cells] for row in rows}


def short(cell: Cell | None) -> tuple[int | None, bool] | None:
    return None if cell is None else (cell.score, cell.by_hand)


def by_hand(submission: Submission) -> None:
    OverrideFactory.create(submission=submission, criterion_id="git_forensics", score=1)


def test_a_withheld_attempt_shows_its_student_nothing() -> None:
    work = Released(criteria=2, release_policy=ReleasePolicy.AFTER_RELEASE)
    judged(work.assignment, student=work.student, attempt=2, git_forensics=3)
    assert seen(work) == {FORENSICS: [(5, False), None], STATE: [(4, False), None]}
    assert seen(work, is_staff=True) == {
        FORENSICS: [(5, False), (3, False)],
        STATE: [(4, False), (4, False)],
    }


def test_what_was_told_stays_as_told_until_it_is_told_again() -> None:
    work = Released(criteria=2)
    by_hand(work.submission)
    assert (seen(work)[FORENSICS], seen(work, is_staff=True)[FORENSICS]) == (
        [(5, False)],
        [(1, True)],
    )


def test_what_was_told_of_an_attempt_before_is_still_told() -> None:
    work = Released(criteria=2)
    judged(work.assignment, student=work.student, attempt=2, git_forensics=3)
    work.release()
    by_hand(work.submission)
    assert seen(work)[FORENSICS] == [(5, False), (3, False)]


def test_before_a_release_scores_by_hand_count_where_the_verdict_is_open() -> None:
    work = Released(criteria=2)
    second = judged(work.assignment, student=work.student, attempt=2, git_forensics=None)
    assert seen(work)[FORENSICS] == [(5, False), (None, False)]
    by_hand(second.submission)
    assert seen(work)[FORENSICS] == [(5, False), (1, True)]


def test_a_failed_attempt_is_a_gap_and_the_page_leads_from_each_score_to_its_reasons() -> None:
    work = Released(criteria=2)
    AuditFactory.create(
        failed=True,
        submission__assignment=work.assignment,
        submission__student=work.student,
        submission__attempt=2,
    )
    assert seen(work) == {FORENSICS: [(5, False), None], STATE: [(4, False), None]}
    html = page(signed_in(work.student.user), place(work.assignment, "loop/"))
    where = f"/o/{work.organization.slug}/audits/{work.audit.pk}/"
    for anchor, words in (
        ("criterion-1", f"{FORENSICS}, attempt 1: 5"),
        ("criterion-2", f"{STATE}, attempt 1: 4"),
    ):
        assert html.count(f'<a href="{where}#{anchor}" aria-label="{words}">') == 1
        assert f'id="{anchor}"' in page(signed_in(work.student.user), where)
