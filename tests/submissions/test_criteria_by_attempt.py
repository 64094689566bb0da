"""Criteria by attempt: released scores, nothing where withheld, overrides before a release."""

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


def scores(
    work: Released, *, is_staff: bool = False
) -> dict[str, list[tuple[int | None, bool] | None]]:
    """Return (score, is an override) by criterion and attempt."""
    with everywhere():
        turns = loop_of(work.assignment, work.student, is_staff=is_staff).turns
        rows = criteria_by_attempt([turn.attempt for turn in turns])
    return {row.name: [short(cell) for _, cell in row.cells] for row in rows}


def short(cell: Cell | None) -> tuple[int | None, bool] | None:
    return None if cell is None else (cell.score, cell.by_hand)


def override(submission: Submission) -> None:
    OverrideFactory.create(submission=submission, criterion_id="git_forensics", score=1)


def test_a_withheld_attempt_shows_its_student_nothing() -> None:
    work = Released(criteria=2, release_policy=ReleasePolicy.AFTER_RELEASE)
    judged(work.assignment, student=work.student, attempt=2, git_forensics=3)
    assert scores(work) == {FORENSICS: [(5, False), None], STATE: [(4, False), None]}
    assert scores(work, is_staff=True) == {
        FORENSICS: [(5, False), (3, False)],
        STATE: [(4, False), (4, False)],
    }


def test_released_scores_stay_until_the_next_release() -> None:
    work = Released(criteria=2)
    override(work.submission)
    assert (scores(work)[FORENSICS], scores(work, is_staff=True)[FORENSICS]) == (
        [(5, False)],
        [(1, True)],
    )


def test_release_of_an_earlier_attempt_stays_visible() -> None:
    work = Released(criteria=2)
    judged(work.assignment, student=work.student, attempt=2, git_forensics=3)
    work.release()
    override(work.submission)
    assert scores(work)[FORENSICS] == [(5, False), (3, False)]


def test_override_counts_before_a_release() -> None:
    work = Released(criteria=2)
    second = judged(work.assignment, student=work.student, attempt=2, git_forensics=None)
    assert scores(work)[FORENSICS] == [(5, False), (None, False)]
    override(second.submission)
    assert scores(work)[FORENSICS] == [(5, False), (1, True)]


def test_failed_attempt_is_a_gap_and_scores_link_to_their_criteria() -> None:
    work = Released(criteria=2)
    AuditFactory.create(
        failed=True,
        submission__assignment=work.assignment,
        submission__student=work.student,
        submission__attempt=2,
    )
    assert scores(work) == {FORENSICS: [(5, False), None], STATE: [(4, False), None]}
    html = page(signed_in(work.student.user), place(work.assignment, "loop/"))
    where = f"/o/{work.organization.slug}/audits/{work.audit.pk}/"
    for anchor, words in (
        ("criterion-1", f"{FORENSICS}, attempt 1: 5"),
        ("criterion-2", f"{STATE}, attempt 1: 4"),
    ):
        assert html.count(f'<a href="{where}#{anchor}" aria-label="{words}">') == 1
        assert f'id="{anchor}"' in page(signed_in(work.student.user), where)
