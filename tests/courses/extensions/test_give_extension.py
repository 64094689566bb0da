"""Giving and withdrawing extensions: refusals, replacement, late marks and the log."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from grading.activity_log.presenters import sentence_of
from grading.core.enums import ExtensionEnding, LatePolicy
from grading.core.errors import ExtensionRefused
from grading.courses.extensions.actions import Relief, give_extension, withdraw_extension
from grading.courses.people.students import change_student, group_students
from grading.courses.roster import import_roster
from grading.models import Activity, Assignment, Enrollment, Extension, Notice, Submission
from tests.courses.test_assignment_settings import changed
from tests.factories.extensions import ExtensionFactory
from tests.factories.people import EnrollmentFactory, everywhere, staff_user, student
from tests.factories.work import AssignmentFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 10, 1, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def assignment() -> Assignment:
    made: Assignment = AssignmentFactory.create(
        due_at=NOON, max_attempts=2, late_policy=LatePolicy.ACCEPT
    )
    return made


@pytest.fixture
def ada(assignment: Assignment) -> Enrollment:
    made: Enrollment = EnrollmentFactory.create(cohort=assignment.cohort, name="Ada", group="Red")
    return made


def given(assignment: Assignment, *students: Enrollment, **fields: Any) -> list[Extension]:
    values: dict[str, Any] = {"relief": Relief(due_at=NOON + DAY), "reason": "Illness", "by": None}
    return give_extension(assignment=assignment, students=students, **values | fields)


def refused(assignment: Assignment, *students: Enrollment, **fields: Any) -> tuple[str, str]:
    with pytest.raises(ExtensionRefused) as refusal:
        given(assignment, *students, **fields)
    with everywhere():
        assert Extension.objects.count() == 0
    return refusal.value.field, refusal.value.code


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"relief": Relief()}, ("due_at", "extension_empty")),
        ({"relief": Relief(due_at=NOON)}, ("due_at", "extension_not_later")),
        (
            {"relief": Relief(due_at=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))},
            ("due_at", "extension_year_unusual"),
        ),
        ({"relief": Relief(max_attempts=2)}, ("max_attempts", "extension_not_more")),
        ({"reason": "  "}, ("reason", "reason_missing")),
        ({"reason": "x" * 1001}, ("reason", "reason_too_long")),
        ({"group": "Blue"}, ("group", "extension_group_unknown")),
    ],
)
def test_extension_that_gives_nothing_or_lacks_a_reason_is_refused(
    assignment: Assignment, ada: Enrollment, fields: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert refused(assignment, ada, **fields) == expected


def test_extension_for_nobody_or_a_student_of_another_cohort_is_refused(
    assignment: Assignment,
) -> None:
    other = EnrollmentFactory.create()
    assert refused(assignment) == ("students", "extension_for_nobody")
    assert refused(assignment, other) == ("students", "extension_student_unknown")


def test_date_without_due_date_and_mark_that_is_never_set_are_refused(
    assignment: Assignment, ada: Enrollment
) -> None:
    changed(assignment, None, due_at=None, late_policy=LatePolicy.REFUSE)
    assert refused(assignment, ada) == ("due_at", "extension_without_due_date")
    relief = Relief(no_late_mark=True)
    assert refused(assignment, ada, relief=relief) == ("no_late_mark", "extension_no_late_marks")


def test_new_extension_replaces_the_old_one_and_keeps_it(
    assignment: Assignment, ada: Enrollment
) -> None:
    teacher = staff_user(assignment.organization)
    (first,) = given(assignment, ada)
    (second,) = given(assignment, ada, relief=Relief(max_attempts=3), by=teacher)
    with everywhere():
        first.refresh_from_db()
        assert (first.ending, first.ended_by) == (ExtensionEnding.REPLACED, teacher)
        assert list(Extension.objects.filter(ending="")) == [second]


def test_same_extension_again_changes_nothing(assignment: Assignment, ada: Enrollment) -> None:
    given(assignment, ada)
    assert given(assignment, ada) == []
    with everywhere():
        assert Activity.objects.filter(verb="extension.given").count() == 1


def test_extension_after_the_hand_in_removes_the_late_mark_of_its_student(
    assignment: Assignment, ada: Enrollment
) -> None:
    marked = [
        SubmissionFactory.create(assignment=assignment, late=True, handed_in_at=at, **holder)
        for at, holder in (
            (NOON + DAY / 2, {"student": ada}),
            (NOON + 2 * DAY, {"student": ada, "attempt": 2}),
            (NOON + DAY / 2, {}),
        )
    ]
    given(assignment, ada)
    with everywhere():
        late = {row.pk: row.late for row in Submission.objects.all()}
    assert [late[row.pk] for row in marked] == [False, True, True]


def test_extension_of_a_group_removes_the_late_marks_of_its_members(
    assignment: Assignment, ada: Enrollment
) -> None:
    for somebody in (ada, EnrollmentFactory.create(cohort=assignment.cohort)):
        SubmissionFactory.create(
            assignment=assignment, student=somebody, late=True, handed_in_at=NOON + 9 * DAY
        )
    given(assignment, group="Red", relief=Relief(no_late_mark=True))
    with everywhere():
        assert [row.student for row in Submission.objects.filter(late=False)] == [ada]


def test_withdrawing_leaves_work_handed_in_under_it_as_it_was(
    assignment: Assignment, ada: Enrollment
) -> None:
    (extension,) = given(assignment, ada)
    SubmissionFactory.create(assignment=assignment, student=ada, handed_in_at=NOON + DAY)
    with everywhere():
        withdraw_extension(extension=extension, by=None)
        assert [row.late for row in Submission.objects.all()] == [False]
        extension.refresh_from_db()
        assert extension.ending == ExtensionEnding.WITHDRAWN
        with pytest.raises(ExtensionRefused) as refusal:
            withdraw_extension(extension=extension, by=None)
    assert refusal.value.code == "extension_ended"


def test_work_under_an_extension_does_not_bind_the_settings_of_all(
    assignment: Assignment, ada: Enrollment
) -> None:
    given(assignment, ada, relief=Relief(due_at=NOON + DAY, max_attempts=3))
    for attempt in (1, 2, 3):
        SubmissionFactory.create(
            assignment=assignment, student=ada, attempt=attempt, handed_in_at=NOON + DAY
        )
    after = changed(assignment, None, due_at=NOON - DAY, max_attempts=1)
    with everywhere():
        assert (after.due_at, after.max_attempts) == (NOON - DAY, 1)
        assert Submission.objects.filter(late=True).count() == 0


def test_later_due_date_clears_marks_by_each_students_terms(
    assignment: Assignment, ada: Enrollment
) -> None:
    ExtensionFactory.create(assignment=assignment, student=ada, due_at=NOON + 3 * DAY)
    SubmissionFactory.create(
        assignment=assignment, student=ada, late=True, handed_in_at=NOON + 2 * DAY
    )
    SubmissionFactory.create(assignment=assignment, late=True, handed_in_at=NOON + 2 * DAY)
    changed(assignment, None, due_at=NOON + DAY)
    with everywhere():
        assert [row.student for row in Submission.objects.filter(late=False)] == [ada]


def test_log_says_what_was_given_but_not_the_reason(
    assignment: Assignment, ada: Enrollment
) -> None:
    SubmissionFactory.create(
        assignment=assignment, student=ada, late=True, handed_in_at=NOON + DAY / 2
    )
    (extension,) = given(assignment, ada, relief=Relief(NOON + DAY, 3, no_late_mark=True))
    with everywhere():
        withdraw_extension(extension=extension, by=None)
        rows = Activity.objects.filter(verb__startswith="extension.").order_by("pk")
        sentences = [sentence_of(row.verb, row.detail) for row in rows]
    assert "\n".join(sentences) == (
        "gave an extension to Ada, due 02 October 2026, 12:00 UTC, 3 attempts, no late mark; "
        "late marks removed: 1\nwithdrew the extension of Ada"
    )


def emails() -> list[tuple[str, str]]:
    with everywhere():
        rows = Notice.objects.filter(kind="extension").order_by("pk")
        return list(rows.values_list("user__email", "body"))


def test_students_get_one_email_each_of_what_holds_without_the_reason(
    assignment: Assignment, ada: Enrollment
) -> None:
    eve, bob = (student(assignment.cohort, name=name, group="Red") for name in ("Eve", "Bob"))
    relief = Relief(due_at=NOON + DAY, max_attempts=3)
    title = assignment.title
    given(assignment, eve, group="Red", relief=relief)
    words = f"You have an extension for “{title}”. It is due on 02 October 2026, 12:00 UTC"
    assert emails() == [
        (person.email, f"{words}, and you have 3 attempts in all.") for person in (eve, bob)
    ]
    given(assignment, eve, group="Red", relief=relief)
    assert len(emails()) == 2


def test_withdrawal_is_told_with_what_holds_now(assignment: Assignment) -> None:
    eve = student(assignment.cohort, name="Eve")
    (extension,) = given(assignment, eve, relief=Relief(no_late_mark=True))
    assert emails()[0][1].endswith(
        "2 attempts in all. Work after the due date is not marked as late."
    )
    with everywhere():
        withdraw_extension(extension=extension, by=None)
    words = f"An extension was withdrawn for “{assignment.title}”. It is due on 01 October 2026"
    assert emails()[1] == (eve.email, f"{words}, 12:00 UTC, and you have 2 attempts in all.")


@pytest.mark.parametrize("way", ["people", "person", "roster"])
def test_who_joins_a_group_with_an_extension_loses_the_late_mark(
    assignment: Assignment, ada: Enrollment, way: str
) -> None:
    eve = EnrollmentFactory.create(cohort=assignment.cohort, name="Eve", email="eve@example.org")
    late = [
        SubmissionFactory.create(
            assignment=assignment, student=eve, attempt=number, late=True, handed_in_at=at
        )
        for number, at in enumerate((NOON + DAY / 2, NOON + 2 * DAY), start=1)
    ]
    given(assignment, group="Red")
    teacher, cohort = staff_user(assignment.organization), assignment.cohort
    with everywhere():
        if way == "people":
            group_students(cohort=cohort, students=[eve.pk], group="Red", by=teacher)
        elif way == "person":
            change_student(
                student=eve, email=eve.email, name="Eve", student_number="", group="Red", by=teacher
            )
        else:
            import_roster(cohort=cohort, text="email,group\neve@example.org,Red", by=teacher)
        marks = Submission.objects.filter(pk__in=[row.pk for row in late]).order_by("attempt")
        assert list(marks.values_list("late", flat=True)) == [False, True]
