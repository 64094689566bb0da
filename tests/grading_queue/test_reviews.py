"""Scores, reviews and flags of one reader, and of two after each other."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from django_scopes import scope

from grading.core.errors import ReviewRefused
from grading.grades.actions import override_criterion
from grading.grades.exports.actions import first_rows, table_of
from grading.grades.exports.csv_layouts import ExportChoice
from grading.grades.releases import release_grades
from grading.grading_queue.actions import (
    DEFAULT_REASON,
    flag_work,
    mark_reviewed,
    score_criterion,
    unflag_work,
    unmark_reviewed,
)
from grading.grading_queue.queries import WHOLE_WORK, flag_fingerprint, queue_of
from grading.grading_queue.share_plans import plan_shares
from grading.models import Activity, Audit, Enrollment, Grade, ReviewMark
from tests.factories.released import FIRST, SECOND
from tests.grading_queue.work import Course

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture(scope="module")
def kept_course(kept: Path) -> Course:
    return Course(students=1)


@pytest.fixture
def course(kept_course: Course, db: None, kept_uploads: None) -> Course:
    return deepcopy(kept_course)


def score(course: Course, value: int, **fields: Any) -> ReviewMark:
    """Anna scores the first criterion of the first work as she sees it."""
    given: dict[str, Any] = {
        "submission": course.work().submission,
        "criterion_id": FIRST,
        "reason": "",
        "shown": course.shown(),
        "by": course.anna,
    }
    with scope(organization=course.organization):
        return score_criterion(**given | fields, score=value)


def refused(act: Any, *args: Any, **fields: Any) -> str:
    with pytest.raises(ReviewRefused) as refusal:
        act(*args, **fields)
    return refusal.value.code


def test_score_outside_of_one_to_five_is_refused(course: Course) -> None:
    assert [refused(score, course, value) for value in (0, 6)] == ["score_out_of_range"] * 2
    assert (course.overrides(), course.reviewers()) == ([], [])


def test_score_of_unknown_criterion_is_refused(course: Course) -> None:
    assert refused(score, course, 3, criterion_id="nowhere") == "criterion_unknown"


def test_score_with_outdated_page_is_refused_and_names_the_other_reader(course: Course) -> None:
    fingerprint = course.shown()
    score(course, 2, by=course.ben)
    with pytest.raises(ReviewRefused) as refusal:
        score(course, 1, shown=fingerprint)
    assert refusal.value.sentence.startswith(f"{course.ben.email} scored this 2 of 5 meanwhile.")
    assert (course.overrides(), course.reviewers()) == ([(2, DEFAULT_REASON)], [course.ben.pk])


def test_review_of_other_reader_meanwhile_is_not_overwritten(course: Course) -> None:
    fingerprint = course.shown()
    score(course, 5, by=course.ben)
    assert refused(score, course, 1, shown=fingerprint) == "review_changed"
    assert (course.overrides(), course.reviewers()) == ([], [course.ben.pk])


def test_other_score_becomes_override_and_review(course: Course) -> None:
    score(course, 2)
    work = course.work()
    assert course.overrides() == [(2, DEFAULT_REASON)]
    assert (work.is_reviewed(FIRST), work.is_reviewed(SECOND), work.is_reviewed()) == (
        True,
        False,
        False,
    )


def test_typed_reason_is_kept(course: Course) -> None:
    score(course, 2, reason=" The history is one commit. ")
    assert course.overrides() == [(2, "The history is one commit.")]


def test_score_of_verdict_is_review_without_override(course: Course) -> None:
    score(course, 5)
    assert (course.overrides(), course.work().is_reviewed(FIRST)) == ([], True)


def test_score_of_verdict_withdraws_earlier_override(course: Course) -> None:
    score(course, 2)
    score(course, 5)
    assert (course.overrides(), course.work().is_reviewed(FIRST)) == ([], True)


def test_other_score_replaces_earlier_override(course: Course) -> None:
    submission = course.work().submission
    with scope(organization=course.organization):
        override_criterion(
            submission=submission, criterion_id=FIRST, score=1, reason="Late.", by=course.teacher
        )
    score(course, 3)
    assert course.overrides() == [(3, DEFAULT_REASON)]


def test_same_score_as_standing_override_keeps_its_reason(course: Course) -> None:
    score(course, 2, reason="Late.")
    score(course, 2, by=course.ben)
    assert course.overrides() == [(2, "Late.")]


def test_released_grade_is_marked_changed_by_another_score_alone(course: Course) -> None:
    with scope(organization=course.organization):
        grade = Grade.objects.get()
        release_grades(assignment=course.assignment, grades=[grade], by=course.teacher)
        released = Grade.objects.get().released
    score(course, 5)
    with scope(organization=course.organization):
        assert Grade.objects.get().changed is False
    score(course, 1)
    with scope(organization=course.organization):
        grade = Grade.objects.get()
    assert (grade.changed, grade.released) == (True, released)


def test_all_criteria_reviewed_make_the_work_reviewed(course: Course) -> None:
    score(course, 5)
    score(course, 4, criterion_id=SECOND, shown=course.shown(criterion_id=SECOND))
    assert course.work().is_reviewed() is True


def test_whole_work_reviewed_covers_each_criterion_until_one_is_taken_back(course: Course) -> None:
    submission = course.work().submission
    common: dict[str, Any] = {"submission": submission, "by": course.anna}
    with scope(organization=course.organization):
        mark_reviewed(
            **common, criterion_id=WHOLE_WORK, shown=course.shown(criterion_id=WHOLE_WORK)
        )
    assert [course.work().is_reviewed(key) for key in (WHOLE_WORK, FIRST, SECOND)] == [True] * 3
    with scope(organization=course.organization):
        unmark_reviewed(**common, criterion_id=FIRST, shown=course.shown())
    assert course.work().is_reviewed() is False


def test_new_verdict_makes_it_unreviewed_again_and_keeps_the_flag(course: Course) -> None:
    score(course, 5)
    work = course.work()
    with scope(organization=course.organization):
        flag_work(
            submission=work.submission,
            criterion_id=FIRST,
            word="ask",
            shown=flag_fingerprint(work.marks.get(FIRST)),
            by=course.anna,
        )
        Audit.objects.update(report_digest="9" * 64)
    work = course.work()
    assert (work.is_reviewed(FIRST), [mark.flag_word for mark in work.flags_of(FIRST)]) == (
        False,
        ["ask"],
    )


def test_flag_is_set_once_and_removed(course: Course) -> None:
    submission = course.work().submission
    common: dict[str, Any] = {"submission": submission, "criterion_id": FIRST}
    fresh = flag_fingerprint(None)
    with scope(organization=course.organization):
        mark = flag_work(**common, word=" see  me ", shown=fresh, by=course.anna)
        assert (
            refused(flag_work, **common, word="mine", shown=fresh, by=course.ben) == "flag_changed"
        )
        assert mark.flag_word == "see me"
        unflag_work(**common, shown=flag_fingerprint(mark), by=course.ben)
    assert course.work().flags_of() == []


def test_long_word_of_flag_is_refused(course: Course) -> None:
    common: dict[str, Any] = {"submission": course.work().submission, "criterion_id": FIRST}
    with scope(organization=course.organization):
        code = refused(
            flag_work, **common, word="w" * 81, shown=flag_fingerprint(None), by=course.anna
        )
    assert code == "word_long"


def test_assistant_scores_in_own_share_alone_and_teacher_everywhere(course: Course) -> None:
    with scope(organization=course.organization):
        plan_shares(
            assignment=course.assignment,
            method="student",
            readers=[course.ben],
            seed=0,
            by=course.teacher,
        )
    assert refused(score, course, 2) == "not_your_share"
    assert course.reviewers() == []
    score(course, 2, by=course.ben)
    score(course, 3, by=course.teacher)
    assert course.overrides() == [(3, DEFAULT_REASON)]


def test_assistant_does_not_score_their_own_work(course: Course) -> None:
    with scope(organization=course.organization):
        student = course.work().student
        Enrollment.objects.filter(pk=student.pk).update(user=course.anna)
    assert refused(score, course, 5) == "own_work"
    assert course.overrides() == []
    score(course, 2, by=course.ben)


def test_export_names_the_reader_once_the_whole_verdict_was_reviewed(course: Course) -> None:
    choice = ExportChoice(everything=True)

    def readers() -> list[str]:
        with scope(organization=course.organization):
            table = table_of(course.assignment, choice)
            return [row.reviewed_by for row in first_rows(course.assignment, table, 1)]

    score(course, 5)
    before = readers()
    score(course, 4, criterion_id=SECOND, shown=course.shown(criterion_id=SECOND), by=course.ben)
    assert (before, readers()) == ([""], [course.ben.email])


def test_each_decision_has_its_line_in_the_log(course: Course) -> None:
    score(course, 2)
    with scope(organization=course.organization):
        unmark_reviewed(
            submission=course.work().submission,
            criterion_id=FIRST,
            shown=course.shown(),
            by=course.anna,
        )
        verbs = Activity.objects.filter(verb__regex="^(review|criterion)").order_by("pk")
        assert list(verbs.values_list("verb", flat=True)) == [
            "criterion.overridden",
            "review.marked",
            "review.unmarked",
        ]


def test_numbers_of_blind_names_are_stable_for_later_students() -> None:
    course = Course(students=2)
    with scope(organization=course.organization):
        before = {w.student.pk: w.name for w in queue_of(course.assignment, is_blind=True).works}
    more = Course(students=1, cohort=course.assignment.cohort)
    with scope(organization=course.organization):
        after = {w.student.pk: w.name for w in queue_of(course.assignment, is_blind=True).works}
    assert (after, len(set(before.values())), more.organization) == (
        before,
        2,
        course.organization,
    )
