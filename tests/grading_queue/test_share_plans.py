"""Plans of shares: fair, the same for the same seed, and without loss of what was reviewed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django_scopes import scope

from grading.core.errors import ReviewRefused
from grading.grading_queue.actions import mark_reviewed
from grading.grading_queue.queries import WHOLE_WORK
from grading.grading_queue.share_plans import deal, plan_shares
from grading.models import ReviewShare
from tests.factories.people import UserFactory
from tests.grading_queue.work import Course

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


def plan(course: Course, method: Any, *readers: Any, seed: int = 0) -> dict[Any, int]:
    """Return the reader's key by student or criterion."""
    with scope(organization=course.organization):
        plan_shares(
            assignment=course.assignment,
            method=method,
            readers=readers,
            seed=seed,
            by=course.teacher,
        )
        rows = ReviewShare.objects.filter(assignment=course.assignment)
        return {row.student_id or row.criterion_id: row.reader_id for row in rows}


@pytest.mark.parametrize(
    ("students", "kept", "dealt"),
    [
        ([1, 2, 3, 4], {}, {1: 7, 2: 8, 3: 7, 4: 8}),
        ([1, 2, 3], {1: 8}, {1: 8, 2: 7, 3: 7}),
        ([], {}, {}),
    ],
)
def test_students_are_dealt_in_turn_and_kept_ones_count(
    students: list[int], kept: dict[int, int], dealt: dict[int, int]
) -> None:
    assert deal(students, [7, 8], kept) == dealt


def test_plan_for_somebody_who_is_not_staff_is_refused() -> None:
    course = Course(students=1)
    with pytest.raises(ReviewRefused) as refusal:
        plan(course, "student", UserFactory.create())
    assert refusal.value.code == "reader_unknown"


def test_plan_by_criterion_without_verdicts_is_refused() -> None:
    course = Course(students=0)
    with pytest.raises(ReviewRefused) as refusal:
        plan(course, "criterion", course.anna)
    assert refusal.value.code == "nothing_to_share"


def test_random_plan_is_fair_and_the_same_for_the_same_seed() -> None:
    course = Course(students=6)
    first = plan(course, "random", course.anna, course.ben, seed=1)
    assert Counter(first.values()) == {course.anna.pk: 3, course.ben.pk: 3}
    other_plans = [
        plan(course, "random", course.anna, course.ben, seed=seed) for seed in range(2, 6)
    ]
    assert any(other != first for other in other_plans)
    assert plan(course, "random", course.anna, course.ben, seed=1) == first


def test_criteria_are_shared_in_turn() -> None:
    course = Course(students=1, criteria=3)
    shares = plan(course, "criterion", course.anna, course.ben)
    assert list(shares.values()) == [course.anna.pk, course.ben.pk, course.anna.pk]


def test_new_plan_keeps_reviews_and_their_reader() -> None:
    course = Course(students=4)
    shares = plan(course, "student", course.anna, course.ben)
    number = next(
        n for n in range(4) if shares[course.audits[n].submission.student_id] == course.ben.pk
    )
    with scope(organization=course.organization):
        mark_reviewed(
            submission=course.work(number).submission,
            criterion_id=WHOLE_WORK,
            shown=course.shown(number, WHOLE_WORK),
            by=course.ben,
        )
    for seed in range(4):
        again = plan(course, "random", course.anna, course.ben, seed=seed)
        assert again[course.audits[number].submission.student_id] == course.ben.pk
    assert course.work(number).is_reviewed() is True


def test_plan_for_nobody_ends_all_shares() -> None:
    course = Course(students=2)
    plan(course, "student", course.anna)
    assert plan(course, "none") == {}
