"""Two readers at once about one criterion: one saves, the other learns so; nothing is lost."""

from __future__ import annotations

from typing import Any

import pytest

from grading.comments import actions as comment_actions
from grading.comments.actions import write_comment
from grading.comments.places import on_criterion
from grading.core.errors import CommentRefused, ReviewRefused
from grading.grading_queue.actions import flag_work, mark_reviewed, open_work, score_criterion
from grading.grading_queue.queries import flag_fingerprint
from grading.grading_queue.share_plans import plan_shares
from grading.models import (
    Activity,
    BankedComment,
    Comment,
    Override,
    ReviewMark,
    ReviewPresence,
    ReviewShare,
)
from tests.factories.comments import BankedCommentFactory
from tests.factories.people import everywhere
from tests.factories.races import at_once
from tests.factories.released import FIRST
from tests.grading_queue.work import Course

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


def test_of_two_scores_at_once_one_is_saved_with_one_line_in_the_log() -> None:
    course = Course(students=1)
    submission, fingerprint = course.work().submission, course.shown()
    readers = iter(((course.anna, 1), (course.ben, 2)))

    def act() -> str:
        reader, value = next(readers)
        try:
            score_criterion(
                submission=submission,
                criterion_id=FIRST,
                score=value,
                reason="",
                shown=fingerprint,
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


def test_of_two_reviews_at_once_one_is_saved_with_one_line_in_the_log() -> None:
    course = Course(students=1)
    submission, fingerprint = course.work().submission, course.shown()
    readers = iter((course.anna, course.ben))

    def act() -> str:
        try:
            mark_reviewed(
                submission=submission, criterion_id=FIRST, shown=fingerprint, by=next(readers)
            )
        except ReviewRefused as refusal:
            return refusal.code
        return ""

    assert sorted(at_once(act)) == ["", "review_changed"]
    with everywhere():
        assert ReviewMark.objects.count() == 1
        assert Activity.objects.filter(verb="review.marked").count() == 1


def test_a_flag_and_a_review_at_once_are_both_kept() -> None:
    course = Course(students=1)
    submission, fingerprint = course.work().submission, course.shown()
    common: dict[str, Any] = {"submission": submission, "criterion_id": FIRST}
    acts = iter(
        (
            lambda: mark_reviewed(**common, shown=fingerprint, by=course.anna),
            lambda: flag_work(**common, word="look", shown=flag_fingerprint(None), by=course.ben),
        )
    )

    def act() -> None:
        next(acts)()

    at_once(act)
    with everywhere():
        mark = ReviewMark.objects.get()
        assert (mark.reviewed_by, mark.flagged_by, mark.flag_word) == (
            course.anna,
            course.ben,
            "look",
        )


def test_comments_of_two_readers_at_once_are_both_kept() -> None:
    course = Course(students=1)
    submission = course.work().submission
    entry = BankedCommentFactory.create(rubric=course.audits[0].rubric_version.rubric)
    readers = iter(((course.anna, "Name the state."), (course.ben, "Test it.")))

    def act() -> None:
        reader, text = next(readers)
        write_comment(
            submission=submission, place=on_criterion(FIRST), text=text, by=reader, banked=entry
        )

    at_once(act)
    with everywhere():
        written = Comment.objects.order_by("text").values_list("text", "author")
        assert list(written) == [("Name the state.", course.anna.pk), ("Test it.", course.ben.pk)]
        assert BankedComment.objects.get().uses == 2
        assert Activity.objects.filter(verb="comment.written").count() == 2


def test_of_two_comments_at_once_the_last_place_goes_to_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(comment_actions, "MAX_COMMENTS", 1)
    course = Course(students=1)
    submission = course.work().submission
    readers = iter((course.anna, course.ben))

    def act() -> str:
        try:
            write_comment(
                submission=submission, place=on_criterion(FIRST), text="So.", by=next(readers)
            )
        except CommentRefused as refusal:
            return refusal.code
        return ""

    assert sorted(at_once(act)) == ["", "comments_too_many"]
    with everywhere():
        assert Comment.objects.count() == 1


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
