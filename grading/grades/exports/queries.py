"""What an export of grades is made of, in pieces, so that no cohort is ever held in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Count, F, FilteredRelation, Q, QuerySet
from django.db.models.functions import Lower

from grading.core.enums import JUDGED_STATES, AuditKind
from grading.grades.agreement.queries import audits_that_count, criteria_of
from grading.models import Assignment, Audit, Enrollment, Grade, Submission

PIECE = 200  # students at once


@dataclass(frozen=True, slots=True)
class Match:
    """How many students the other system can find, and of how many it would be told something.

    `same_number` counts those who share a student number; `scores` those with a grade in the file.
    """

    students: int
    numbers_missing: int
    same_number: int
    scores: int


def students_in_pieces(assignment: Assignment) -> Iterator[list[Enrollment]]:
    """Everybody enrolled, by name, from a cursor on the server."""
    piece: list[Enrollment] = []
    for student in _roster(assignment).iterator(chunk_size=PIECE):
        piece.append(student)
        if len(piece) == PIECE:
            yield piece
            piece = []
    if piece:
        yield piece


def first_students(assignment: Assignment, number: int) -> list[Enrollment]:
    return list(_roster(assignment)[:number])


def grades_for(assignment: Assignment, students: list[Enrollment]) -> dict[int, Grade]:
    """By the key of the student."""
    grades = Grade.objects.filter(assignment=assignment, student__in=students)
    return {grade.student_id: grade for grade in grades}


def attempts_with_verdicts(
    assignment: Assignment, students: list[Enrollment]
) -> dict[int, list[UUID]]:
    """By the key of the student, of each attempt the newest audit with a verdict, first attempt first."""
    judged = Audit.objects.filter(
        state__in=JUDGED_STATES,
        submission__assignment=assignment,
        submission__student__in=students,
    )
    own = judged.exclude(kind=AuditKind.PEER).order_by(
        "submission__attempt", "submission_id", "-created_at", "pk"
    )
    found: dict[int, list[UUID]] = {student.pk: [] for student in students}
    rows: Any = own.distinct("submission__attempt", "submission_id").values_list(
        "submission__student_id", "pk"
    )
    for student, audit in rows:
        found[student].append(audit)
    return found


def commits_of(submissions: set[str]) -> dict[str, str]:
    """By the submission's id as text, what was audited."""
    rows = Submission.objects.filter(pk__in=submissions).values_list("pk", "resolved_commit")
    return {str(key): commit for key, commit in rows}


def criteria_told(assignment: Assignment) -> list[tuple[str, str]]:
    """The criteria of everything that was released, in the order in which they were told."""
    told = Grade.objects.filter(assignment=assignment, released__isnull=False)
    names: dict[str, str] = {}
    for criteria in told.values_list("released__criteria", flat=True).iterator(chunk_size=PIECE):
        for row in criteria:
            names.setdefault(row["id"], row["name"])
    return list(names.items())


def criteria_counting(assignment: Assignment) -> list[tuple[str, str]]:
    return [(each.id, each.name) for each in criteria_of(audits_that_count(assignment))]


def criteria_judged(assignment: Assignment) -> list[tuple[str, str]]:
    """Of every attempt's verdicts."""
    own = Audit.objects.filter(submission__assignment=assignment).exclude(kind=AuditKind.PEER)
    return [(each.id, each.name) for each in criteria_of(list(own.values_list("pk", flat=True)))]


def possible_points(assignment: Assignment, *, everything: bool) -> set[float | None]:
    """Out of how many points whole grades are; None for those without points."""
    grades = Grade.objects.filter(assignment=assignment)
    if everything:
        whole = grades.filter(overall_score__isnull=False)
        return set(whole.values_list("points_possible", flat=True).distinct())
    told = grades.filter(released__isnull=False).exclude(released__overall_score=None)
    possible: Any = told.values_list("released__points__possible", flat=True).distinct()
    return set(possible)


def match_of(assignment: Assignment, *, everything: bool) -> Match:
    """Two queries."""
    roster = _roster(assignment)
    told = Q(grade__overall_score__isnull=False) if everything else _told()
    found = roster.annotate(
        grade=FilteredRelation("grades", condition=Q(grades__assignment=assignment))
    ).aggregate(
        students=Count("pk"),
        numbers_missing=Count("pk", filter=Q(student_number="")),
        scores=Count("pk", filter=told),
    )
    twice = _shared_numbers(roster).values_list("number", flat=True)
    return Match(**found, same_number=sum(twice))


def students_unmatched(assignment: Assignment, *, most: int) -> list[Any]:
    """The first of those whom a student number does not find: they have none, or share it. One query."""
    rows = _roster(assignment).annotate(key=Lower("student_number"))
    shared = _shared_numbers(_roster(assignment)).values("key")
    return list(rows.filter(Q(student_number="") | Q(key__in=shared))[:most])


def students_without(assignment: Assignment, *, everything: bool, most: int) -> list[Any]:
    """The first of those whose cell is empty; `has_grade` and `released_at` say why. One query."""
    told = Q(grade__overall_score__isnull=False) if everything else _told()
    rows = _roster(assignment).annotate(
        grade=FilteredRelation("grades", condition=Q(grades__assignment=assignment)),
        has_grade=F("grade__pk"),
        released_at=F("grade__released_at"),
    )
    return list(rows.exclude(pk__in=rows.filter(told).values("pk"))[:most])


def _roster(assignment: Assignment) -> QuerySet[Any]:
    return Enrollment.objects.filter(cohort=assignment.cohort_id).order_by("name", "email", "pk")


def _shared_numbers(roster: QuerySet[Any]) -> QuerySet[Any]:
    numbers = roster.exclude(student_number="").order_by().values(key=Lower("student_number"))
    shared: QuerySet[Any] = numbers.annotate(number=Count("pk")).filter(number__gt=1)
    return shared


def _told() -> Q:
    return Q(grade__released__isnull=False) & ~Q(grade__released__overall_score=None)
