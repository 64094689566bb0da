"""Terms of a student: the most generous of the assignment, their extension and their group's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from grading.calendars.queries import deadlines_of
from grading.core.enums import LatePolicy
from grading.core.errors import SubmissionRefused
from grading.courses.extensions.actions import withdraw_extension
from grading.courses.extensions.queries import terms_of, terms_of_students
from grading.dashboard.bar import bar_of
from grading.dashboard.presenters import dashboard_of
from grading.models import Assignment, Enrollment
from grading.submissions.actions import create_submission
from tests.factories.extensions import ExtensionFactory
from tests.factories.people import CohortFactory, EnrollmentFactory, everywhere, student
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 10, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(due_at=NOON, max_attempts=2)
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    made: Enrollment = student(assignment.cohort, name="Ada", group="Red")
    return made


def facts_of(assignment: Assignment, somebody: Enrollment) -> tuple[Any, ...]:
    with everywhere():
        terms = terms_of(assignment, somebody)
    return terms.due_at, terms.max_attempts, terms.marks_late, len(terms.extensions)


def test_student_without_extension_has_the_terms_of_the_assignment(
    assignment: Assignment, ada: Enrollment
) -> None:
    other = EnrollmentFactory.create(cohort=assignment.cohort)
    ExtensionFactory.create(assignment=assignment, student=other, due_at=NOON + DAY)
    ExtensionFactory.create(assignment=assignment, group="Blue", max_attempts=9)
    ExtensionFactory.create(student=ada, due_at=NOON + DAY)
    assert facts_of(assignment, ada) == (NOON, 2, True, 0)


def test_most_generous_of_own_and_group_counts_in_each_field(
    assignment: Assignment, ada: Enrollment
) -> None:
    ExtensionFactory.create(
        assignment=assignment, student=ada, due_at=NOON + DAY, no_late_mark=True
    )
    ExtensionFactory.create(
        assignment=assignment, group="Red", due_at=NOON + 3 * DAY, max_attempts=4
    )
    assert facts_of(assignment, ada) == (NOON + 3 * DAY, 4, False, 2)


def test_extension_never_takes_from_what_the_assignment_gives(
    assignment: Assignment, ada: Enrollment
) -> None:
    ExtensionFactory.create(assignment=assignment, student=ada, due_at=NOON + DAY, max_attempts=3)
    assignment.due_at, assignment.max_attempts = NOON + 2 * DAY, 5
    assert facts_of(assignment, ada) == (NOON + 2 * DAY, 5, True, 1)
    assignment.due_at = None
    assert facts_of(assignment, ada) == (None, 5, True, 1)


def test_withdrawn_extension_no_longer_holds(assignment: Assignment, ada: Enrollment) -> None:
    extension = ExtensionFactory.create(assignment=assignment, student=ada, due_at=NOON + DAY)
    with everywhere():
        withdraw_extension(extension=extension, by=None)
    assert facts_of(assignment, ada) == (NOON, 2, True, 0)


@pytest.mark.parametrize("students", [1, 3])
def test_terms_of_a_roster_take_one_query(assignment: Assignment, students: int) -> None:
    roster = [EnrollmentFactory.create(cohort=assignment.cohort) for _ in range(students)]
    for row in roster:
        ExtensionFactory.create(assignment=assignment, student=row, max_attempts=3)
    with everywhere(), CaptureQueriesContext(connection) as queries:
        terms = terms_of_students(assignment, roster)
    assert (len(queries), [terms[row.pk].max_attempts for row in roster]) == (1, [3] * students)


def refusal_of(assignment: Assignment, somebody: Enrollment, work: Any) -> str:
    with pytest.raises(SubmissionRefused) as refusal:
        hand_in(assignment, somebody, work)
    return refusal.value.code


def hand_in(assignment: Assignment, somebody: Enrollment, work: Any) -> bool:
    """Return whether the submission was marked late."""
    return create_submission(
        assignment=assignment, student=somebody, repo_url=str(work), by=somebody.user
    ).late


@pytest.fixture
def work(tmp_path: Any) -> Any:
    make_repository(tmp_path / "work.git", [Commit(files={"main.py": "print()\n"})])
    return tmp_path / "work.git"


def test_closed_assignment_opens_for_the_extended_student_alone(work: Any) -> None:
    assignment = AssignmentFactory.create(due_at=timezone.now() - DAY)
    ada, ben = student(assignment.cohort), student(assignment.cohort)
    ExtensionFactory.create(assignment=assignment, student=ada, due_at=timezone.now() + DAY)
    assert refusal_of(assignment, ben, work) == "after_due_date"
    assert hand_in(assignment, ada, work) is False


def test_more_attempts_let_a_student_hand_in_again(work: Any) -> None:
    assignment = AssignmentFactory.create(max_attempts=1)
    ada = student(assignment.cohort)
    SubmissionFactory.create(assignment=assignment, student=ada)
    assert refusal_of(assignment, ada, work) == "attempts_used_up"
    ExtensionFactory.create(assignment=assignment, student=ada, max_attempts=2)
    assert hand_in(assignment, ada, work) is False
    assert refusal_of(assignment, ada, work) == "attempts_used_up"


def test_no_late_mark_leaves_late_work_unmarked(work: Any) -> None:
    assignment = AssignmentFactory.create(
        due_at=timezone.now() - DAY, late_policy=LatePolicy.ACCEPT
    )
    ada, ben = student(assignment.cohort), student(assignment.cohort)
    ExtensionFactory.create(assignment=assignment, student=ada, no_late_mark=True)
    assert hand_in(assignment, ben, work) is True
    assert hand_in(assignment, ada, work) is False


def test_home_bar_and_calendar_show_the_extended_due_date() -> None:
    cohort = CohortFactory.create()
    past, later = timezone.now() - 90 * DAY, timezone.now() + DAY
    assignment = AssignmentFactory.create(cohort=cohort, due_at=past)
    ada, ben = student(cohort, group="Red"), student(cohort)
    ExtensionFactory.create(assignment=assignment, group="Red", due_at=later)
    assert due_for(ada) == ([later], [later], ["1 due"])
    assert due_for(ben) == ([], [], [])


def due_for(somebody: Enrollment) -> tuple[list[Any], list[Any], list[str]]:
    """Return what a student's home page, calendar and bar list as due."""
    assert somebody.user
    with everywhere():
        home = dashboard_of(somebody.user)
        bar = bar_of(somebody.user, somebody.organization, "/", [])
    assert home
    return (
        [task.at for task in home.tasks],
        [row.at for row in deadlines_of(somebody.user)],
        [place.label for place in bar.attention],
    )
