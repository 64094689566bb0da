"""Read extensions, and the terms under which each student hands in.

Everything that shows or tests a due date or the attempts of one student asks `terms_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.contrib.auth.models import User
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from grading.core.enums import LatePolicy
from grading.core.team_access import mates_by_pair
from grading.models import Assignment, Enrollment, Extension

TermsKey = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Terms:
    """Dates and limits of one student in one assignment.

    `due_at` is None without a due date. `extensions` are those that hold for the student: their own
    first, then that of their group. In a team the dates and limits are the most generous of its
    members', whose own extensions and reasons stay theirs.
    """

    opens_at: datetime | None
    due_at: datetime | None
    max_attempts: int
    marks_late: bool
    refuses_late: bool
    extensions: tuple[Extension, ...] = ()

    @property
    def extension(self) -> Extension | None:
        return self.extensions[0] if self.extensions else None

    def is_after_due(self, now: datetime) -> bool:
        return self.due_at is not None and now > self.due_at

    def is_late(self, now: datetime) -> bool:
        """Return whether work that is handed in now is marked as late."""
        return self.marks_late and self.is_after_due(now)


def terms_of(assignment: Assignment, student: Enrollment) -> Terms:
    """Return the student's terms: the most generous of the assignment, their own extension and
    their group's, field by field. One query.
    """
    return terms_of_students(assignment, [student])[student.pk]


def terms_of_students(
    assignment: Assignment, enrollments: Iterable[Enrollment]
) -> dict[int, Terms]:
    """Return the terms by the key of the enrollment, as terms_of does; at two queries."""
    by_pair = terms_of_pairs((assignment, student) for student in enrollments)
    return {student: terms for (_assignment, student), terms in by_pair.items()}


def terms_of_pairs(pairs: Iterable[tuple[Assignment, Enrollment]]) -> Mapping[TermsKey, Terms]:
    """Return the terms by (assignment, enrollment), as terms_of does.

    One query, and one more where an assignment has teams.
    """
    listed = list(pairs)
    mates = mates_by_pair(listed)
    everybody = [*(student for _assignment, student in listed), *chain(*mates.values())]
    students = {student.pk for student in everybody}
    groups = {student.group for student in everybody if student.group}
    current = Extension.objects.filter(
        Q(student__in=students) | Q(group__in=groups),
        ending="",
        assignment__in={assignment.pk for assignment, _student in listed},
    )

    own: dict[TermsKey, Extension] = {}
    of_group: dict[tuple[int, str], Extension] = {}
    for extension in current if listed else ():
        if extension.student_id is not None:
            own[extension.assignment_id, extension.student_id] = extension
        else:
            of_group[extension.assignment_id, extension.group] = extension

    def held(assignment: Assignment, student: Enrollment) -> list[Extension]:
        both = (
            own.get((assignment.pk, student.pk)),
            of_group.get((assignment.pk, student.group)),
        )
        return [extension for extension in both if extension is not None]

    return {
        (assignment.pk, student.pk): _terms(
            assignment,
            held(assignment, student),
            [
                extension
                for mate in mates.get((assignment.pk, student.pk), ())
                for extension in held(assignment, mate)
            ],
        )
        for assignment, student in listed
    }


def terms_without_extension(assignment: Assignment) -> Terms:
    """Return the terms of everybody who has no extension."""
    return _terms(assignment)


def _terms(
    assignment: Assignment, own: Sequence[Extension] = (), of_mates: Sequence[Extension] = ()
) -> Terms:
    held = [*own, *of_mates]
    # Without a due date of its own the assignment is more generous than any date.
    due_dates = [extension.due_at for extension in held if extension.due_at]
    due_at = assignment.due_at and max([assignment.due_at, *due_dates])
    limits = [extension.max_attempts for extension in held if extension.max_attempts]

    return Terms(
        opens_at=assignment.opens_at,
        due_at=due_at,
        max_attempts=max([assignment.max_attempts, *limits]),
        marks_late=not any(extension.no_late_mark for extension in held),
        refuses_late=assignment.late_policy == LatePolicy.REFUSE,
        extensions=tuple(own),
    )


def extension_cell(terms: Terms) -> str:
    """Return the extended terms for a table, such as "due 2026-10-02T12:00:00+00:00, 3 attempts"."""
    given = terms.extensions
    if not given:
        return ""
    parts = [
        f"due {terms.due_at.isoformat(timespec='seconds')}"
        if terms.due_at and any(extension.due_at for extension in given)
        else "",
        f"{terms.max_attempts} attempts"
        if any(extension.max_attempts for extension in given)
        else "",
        "" if terms.marks_late else "no late mark",
    ]
    return ", ".join(filter(None, parts))


def extensions_for(user: User) -> QuerySet[Extension]:
    """Return the current extensions that hold for a user: their own and those of their groups."""
    in_group = Enrollment.objects.filter(
        cohort=OuterRef("assignment__cohort"), user=user, group=OuterRef("group")
    )
    own = Q(student__user=user) | Q(~Q(group=""), Exists(in_group))
    return Extension.objects.filter(own, ending="")


def extensions_held(assignment: Assignment) -> Exists:
    """Return the condition on a student's row that an extension holds for them."""
    in_group = ~Q(group="") & Q(group=OuterRef("group"))
    held = Q(student=OuterRef("pk")) | in_group
    return Exists(Extension.objects.filter(held, assignment=assignment, ending=""))


def extensions_of(assignment: Assignment) -> QuerySet[Extension]:
    """Return all extensions of an assignment: current ones first, each part the newest first."""
    rows = Extension.objects.filter(assignment=assignment)
    people = rows.select_related("student", "given_by", "ended_by")
    return people.order_by(F("ended_at").desc(nulls_first=True), "-given_at", "-pk")


def students_with_more_attempts(assignment: Assignment) -> QuerySet[Enrollment]:
    """Return the students who have or had more attempts than the assignment gives."""
    given = Extension.objects.filter(assignment=assignment, max_attempts__isnull=False)
    groups = given.filter(student=None).values("group")
    own = Q(pk__in=given.filter(student__isnull=False).values("student"))
    return Enrollment.objects.filter(own | Q(group__in=groups), cohort=assignment.cohort_id)
