"""Two readers at once about one criterion: one saves, the other learns so; nothing is lost."""

from __future__ import annotations

import pytest

from grading.core.errors import ReviewRefused
from grading.grading_queue.actions import flag_work, open_work, score_criterion
from grading.grading_queue.queries import flag_fingerprint
from grading.grading_queue.share_plans import plan_shares
from grading.models import Activity, Override, ReviewMark, ReviewPresence, ReviewShare
from tests.factories.people import everywhere
from tests.factories.races import at_once
from tests.factories.released import FIRST
from tests.grading_queue.work import Course

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_of_two_scores_at_once_one_is_saved_with_one_line_in_the_log() -> None:
    course = Course(students=1)
    submission, shown = course.work().submission, course.shown()
    readers = iter(((course.anna, 1), (course.ben, 2)))

    def act() -> str:
        reader, value = next(readers)
        try:
            score_criterion(
                submission=submission,
                criterion_id=FIRST,
                score=value,
                reason="",
                shown=shown,
                by=reader,
            )
        except ReviewRefused as refusal:
            return refusal.code
        return ""

    assert sorted(at_once(act)) == ["", "review_changed"]
    with everywhere():
        mark, override = ReviewMark.objects.get(), Override.objects.get()
        assert override.made_by_id == mark.reviewed_by_id
        assert Activity.objects.filter(verb="review.marked").count() == 1


def test_of_two_flags_at_once_one_is_saved() -> None:
    course = Course(students=1)
    submission = course.work().submission
    readers = iter((course.anna, course.ben))

    def act() -> str:
        try:
            flag_work(
                submission=submission,
                criterion_id=FIRST,
                word="",
                shown=flag_fingerprint(None),
                by=next(readers),
            )
        except ReviewRefused as refusal:
            return refusal.code
        return ""

    assert sorted(at_once(act)) == ["", "flag_changed"]
    with everywhere():
        assert ReviewMark.objects.count() == 1


def test_two_plans_at_once_leave_one_reader_for_each_student() -> None:
    course = Course(students=2)

    def act() -> int:
        return plan_shares(
            assignment=course.assignment,
            method="student",
            readers=[course.anna, course.ben],
            seed=0,
            by=course.teacher,
        )

    assert at_once(act) == [2, 2]
    with everywhere():
        assert ReviewShare.objects.count() == 2


def test_two_tabs_of_one_reader_are_one_presence() -> None:
    course = Course(students=2)
    works = iter(course.works())

    def act() -> None:
        open_work(assignment=course.assignment, student=next(works).student, by=course.anna)

    at_once(act)
    with everywhere():
        assert ReviewPresence.objects.count() == 1
