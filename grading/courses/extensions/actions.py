"""Give and withdraw extensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import ExtensionEnding, LatePolicy
from grading.core.errors import ExtensionRefused
from grading.core.time_zones import in_words, is_usual_year
from grading.courses.extensions.emails import email_students
from grading.courses.extensions.late_marks import clear_late_marks
from grading.models import Assignment, Enrollment, Extension

MAX_REASON = 1000
NO_LATE_MARK = "no late mark"


@dataclass(frozen=True, slots=True)
class Relief:
    """Content of an extension; None and False change nothing."""

    due_at: datetime | None = None
    max_attempts: int | None = None
    no_late_mark: bool = False


def give_extension(
    *,
    assignment: Assignment,
    relief: Relief,
    reason: str,
    by: User | None,
    students: Sequence[Enrollment] = (),
    group: str = "",
) -> list[Extension]:
    """Give each of the students, or a group of the roster, an extension; return the new ones.

    A student's or group's earlier extension of this assignment is replaced; an equal one stays.
    Late marks that no longer hold are removed, and each student gets one email. Raises
    ExtensionRefused.
    """
    with transaction.atomic(), scope(organization=assignment.organization):
        # Also orders it with changes of the due date, which read extensions.
        locked = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        _refuse_persons(locked, students, group)
        _refuse_relief(locked, relief)
        reason = _checked_reason(reason)

        targets: list[tuple[Enrollment | None, str]] = [(student, "") for student in students]
        given = [
            extension
            for student, name in [*targets, *([(None, group)] if group else [])]
            if (extension := _replace(locked, student, name, asdict(relief), reason, by))
        ]
        cleared = clear_late_marks(locked) if given else 0
        for extension in given:
            _record(extension, by, cleared)
        email_students(locked, given, is_withdrawn=False)
    return given


def withdraw_extension(*, extension: Extension, by: User | None) -> None:
    """End an extension. Work that was handed in under it keeps its attempt and gets no late mark.

    Its students get an email of what holds now. Raises ExtensionRefused extension_ended: it was
    withdrawn or replaced already.
    """
    with transaction.atomic():
        current = Extension.objects.filter(pk=extension.pk, ending="")
        if not current.update(
            ending=ExtensionEnding.WITHDRAWN, ended_at=timezone.now(), ended_by=by
        ):
            sentence = "This extension was already withdrawn or replaced."
            raise ExtensionRefused("", "extension_ended", sentence)
        record_activity(
            organization=extension.organization_id,
            actor=by,
            verb="extension.withdrawn",
            about=extension.assignment,
            to=str(extension),
        )
        email_students(extension.assignment, [extension], is_withdrawn=True)


def _refuse_persons(assignment: Assignment, students: Sequence[Enrollment], group: str) -> None:
    roster = Enrollment.objects.filter(cohort=assignment.cohort_id)
    if not students and not group:
        sentence = "Choose a student or a group."
        raise ExtensionRefused("students", "extension_for_nobody", sentence)
    if roster.filter(pk__in=[row.pk for row in students]).count() < len(set(students)):
        sentence = "A student is no longer on the roster. Choose again."
        raise ExtensionRefused("students", "extension_student_unknown", sentence)
    if group and not roster.filter(group=group).exists():
        sentence = f"No student on the roster is in the group “{group}”."
        raise ExtensionRefused("group", "extension_group_unknown", sentence)


def _refuse_relief(assignment: Assignment, relief: Relief) -> None:
    if relief == Relief():
        sentence = "Enter a later due date, more attempts, or that work is not marked late."
        raise ExtensionRefused("due_at", "extension_empty", sentence)

    if relief.due_at is not None:
        if not is_usual_year(relief.due_at):
            sentence = "Enter a year from 1970 to 9998."
            raise ExtensionRefused("due_at", "extension_year_unusual", sentence)
        if assignment.due_at is None:
            sentence = "The assignment has no due date: everybody may hand in at any time."
            raise ExtensionRefused("due_at", "extension_without_due_date", sentence)
        if relief.due_at <= assignment.due_at:
            due = in_words(assignment.due_at, ZoneInfo(assignment.cohort.time_zone))
            sentence = f"Enter a time after the assignment's due date, {due}."
            raise ExtensionRefused("due_at", "extension_not_later", sentence)

    limit = assignment.max_attempts
    if relief.max_attempts is not None and relief.max_attempts <= limit:
        sentence = f"The assignment gives everybody {limit}: enter more."
        raise ExtensionRefused("max_attempts", "extension_not_more", sentence)
    if relief.no_late_mark and assignment.late_policy == LatePolicy.REFUSE:
        sentence = (
            "This assignment refuses work after the due date, so none is marked late: "
            "enter a later due date instead."
        )
        raise ExtensionRefused("no_late_mark", "extension_no_late_marks", sentence)


def _checked_reason(reason: str) -> str:
    reason = reason.strip()
    if not reason:
        sentence = "Enter the reason: the student reads it."
        raise ExtensionRefused("reason", "reason_missing", sentence)
    if len(reason) > MAX_REASON:
        sentence = f"The reason may have at most {MAX_REASON} characters."
        raise ExtensionRefused("reason", "reason_too_long", sentence)
    return reason


def _replace(
    assignment: Assignment,
    student: Enrollment | None,
    group: str,
    relief: dict[str, Any],
    reason: str,
    by: User | None,
) -> Extension | None:
    """End the current extension of this student or group and store a new one.

    Return None, and change nothing, where an equal one holds: a second click.
    """
    target = Q(student=student) if student else Q(student=None, group=group)
    current = Extension.objects.filter(target, assignment=assignment, ending="")
    if current.filter(reason=reason, **relief).exists():
        return None

    current.update(ending=ExtensionEnding.REPLACED, ended_at=timezone.now(), ended_by=by)
    return Extension.objects.create(
        organization_id=assignment.organization_id,
        assignment=assignment,
        student=student,
        group=group,
        reason=reason,
        given_by=by,
        **relief,
    )


def _record(extension: Extension, by: User | None, cleared: int) -> None:
    # Without the reason: it may be about health, and the log outlives the cohort.
    zone = ZoneInfo(extension.assignment.cohort.time_zone)
    record_activity(
        organization=extension.organization_id,
        actor=by,
        verb="extension.given",
        about=extension.assignment,
        to=str(extension),
        due=in_words(extension.due_at, zone) if extension.due_at else None,
        attempts=extension.max_attempts,
        mark=NO_LATE_MARK if extension.no_late_mark else None,
        cleared=cleared or None,
    )
