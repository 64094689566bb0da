"""Queries of an export, in batches, so that no whole cohort is held in memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Count, F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Lower

from grading.comments.queries import comment_readers
from grading.core.enums import JUDGED_STATES, AuditKind
from grading.core.row_batches import in_batches
from grading.core.team_access import work_keys
from grading.grades.agreement.queries import audits_that_count, criteria_of
from grading.grading_queue.queries import Review
from grading.models import Assignment, Audit, Enrollment, Grade, Submission, TeamMember

BATCH_SIZE = 200  # students at once


@dataclass(frozen=True, slots=True)
class RosterMatch:
    """Students that the other system can match, and those with a grade in the file.

    `same_number` counts students who share a student number, `scores` those with a grade.
    """

    students: int
    numbers_missing: int
    same_number: int
    scores: int


def student_batches(assignment: Assignment) -> Iterator[list[Enrollment]]:
    """Yield all enrolled students by name, for `team_of_row`."""
    return in_batches(_rows(assignment), BATCH_SIZE)


def first_students(assignment: Assignment, number: int) -> list[Enrollment]:
    return list(_rows(assignment)[:number])


def grades_for(assignment: Assignment, students: list[Enrollment]) -> dict[int, Grade]:
    """Return grades by the student's id."""
    grades = Grade.objects.filter(assignment=assignment, student__in=students)
    return {grade.student_id: grade for grade in grades}


def team_of_row(student: Enrollment) -> str:
    """Return the name of the team of a student from `student_batches` or `first_students`."""
    return vars(student)["team_name"] or ""


def _rows(assignment: Assignment) -> QuerySet[Any]:
    """Return the roster with `team_name`, null for a student in no team."""
    teams = TeamMember.objects.filter(assignment=assignment, student=OuterRef("pk"), left_at=None)
    rows: QuerySet[Any] = _roster(assignment).annotate(
        team_name=Subquery(teams.values("team__name"))
    )
    return rows


def attempts_with_verdicts(
    assignment: Assignment, students: list[Enrollment]
) -> dict[int, list[UUID]]:
    """Return the newest judged audit of each attempt, by student id, first attempt first."""
    # Each member of a team has the attempts of the team.
    of_team = work_keys(assignment, students)
    keys = {row.pk: of_team[row.pk] for row in students if row.pk in of_team}
    judged = Audit.objects.filter(
        state__in=JUDGED_STATES,
        submission__assignment=assignment,
        submission__student__in=set(keys.values()),
    )
    own = judged.exclude(kind=AuditKind.PEER).order_by(
        # DISTINCT ON keeps the first row, hence the newest audit of each attempt.
        "submission__attempt",
        "submission_id",
        "-created_at",
        "pk",
    )
    audits: dict[int, list[UUID]] = {student.pk: [] for student in students}
    sharers: defaultdict[int, list[int]] = defaultdict(list)
    for student_key, key in keys.items():
        sharers[key].append(student_key)
    rows: Any = own.distinct("submission__attempt", "submission_id").values_list(
        "submission__student_id", "pk"
    )
    for key, audit in rows:
        for student_key in sharers[key]:
            audits[student_key].append(audit)

    return audits


@dataclass(frozen=True, slots=True)
class AuditedSubmission:
    """Audited commit of a submission, its reviews in the grading queue, the last one last, and
    the students who see comments on it, once per comment.
    """

    commit: str
    reviews: tuple[Review, ...]
    readers: tuple[int, ...]


# A released grade outlives its submission.
NO_SUBMISSION = AuditedSubmission("", (), ())


def audited_submissions(submissions: set[str]) -> dict[str, AuditedSubmission]:
    """Return commit, reviews and readers by submission id (as text). One query."""
    rows = Submission.objects.filter(pk__in=submissions).order_by("review_marks__reviewed_at")
    columns = ("criterion_id", "report_digest", "reviewed_by__email", "reviewed_at")
    works: dict[str, tuple[str, tuple[int, ...]]] = {}
    reviews: defaultdict[str, list[Review]] = defaultdict(list)
    for key, commit, readers, criterion_id, digest, by, at in rows.annotate(
        readers=comment_readers(OuterRef("pk"))
    ).values_list(
        "pk", "resolved_commit", "readers", *(f"review_marks__{column}" for column in columns)
    ):
        works[str(key)] = commit, tuple(readers)
        # A flag alone is no review, and a submission without marks has one row of nulls.
        if at is not None:
            reviews[str(key)].append(Review(criterion_id, digest, by or "", at))
    return {
        key: AuditedSubmission(commit, tuple(reviews[key]), readers)
        for key, (commit, readers) in works.items()
    }


def released_criteria(assignment: Assignment) -> list[tuple[str, str]]:
    """Return the criteria of all released grades, in the order of the releases."""
    released = Grade.objects.filter(assignment=assignment, released__isnull=False)
    names: dict[str, str] = {}
    grades = chain.from_iterable(in_batches(released.only("released"), BATCH_SIZE))
    for document in filter(None, (grade.released for grade in grades)):
        for row in document["criteria"]:
            names.setdefault(row["id"], row["name"])

    return list(names.items())


def criteria_counting(assignment: Assignment) -> list[tuple[str, str]]:
    return [
        (criterion.id, criterion.name) for criterion in criteria_of(audits_that_count(assignment))
    ]


def criteria_judged(assignment: Assignment) -> list[tuple[str, str]]:
    """Return the criteria of every attempt's verdicts."""
    own = Audit.objects.filter(submission__assignment=assignment).exclude(kind=AuditKind.PEER)
    return [
        (criterion.id, criterion.name)
        for criterion in criteria_of(list(own.values_list("pk", flat=True)))
    ]


def possible_points(assignment: Assignment, *, everything: bool) -> set[float | None]:
    """Return the maximum points of complete grades; None for those without points."""
    grades = Grade.objects.filter(assignment=assignment)
    if everything:
        whole = grades.filter(overall_score__isnull=False)
        return set(whole.values_list("points_possible", flat=True).distinct())

    released = grades.filter(released__isnull=False).exclude(released__overall_score=None)
    possible: Any = released.values_list("released__points__possible", flat=True).distinct()
    return set(possible)


def match_of(assignment: Assignment, *, everything: bool) -> RosterMatch:
    """Match the roster with a learning system. Two queries."""
    roster = _roster(assignment)
    has_score = Q(grade__overall_score__isnull=False) if everything else _has_released_score()
    counts = roster.annotate(
        grade=FilteredRelation("grades", condition=Q(grades__assignment=assignment))
    ).aggregate(
        students=Count("pk"),
        numbers_missing=Count("pk", filter=Q(student_number="")),
        scores=Count("pk", filter=has_score),
    )
    twice = _shared_numbers(roster).values_list("number", flat=True)

    return RosterMatch(**counts, same_number=sum(twice))


def students_unmatched(assignment: Assignment, *, most: int) -> list[Any]:
    """Return the first students without a unique student number. One query."""
    # Numbers that differ only in case count as the same.
    rows = _roster(assignment).annotate(key=Lower("student_number"))
    shared = _shared_numbers(_roster(assignment)).values("key")
    return list(rows.filter(Q(student_number="") | Q(key__in=shared))[:most])


def students_without(assignment: Assignment, *, everything: bool, most: int) -> list[Any]:
    """Return the first students with an empty cell, in one query.

    `has_grade` and `released_at` say why it is empty.
    """
    has_score = Q(grade__overall_score__isnull=False) if everything else _has_released_score()
    rows = _roster(assignment).annotate(
        grade=FilteredRelation("grades", condition=Q(grades__assignment=assignment)),
        has_grade=F("grade__pk"),
        released_at=F("grade__released_at"),
    )

    return list(rows.exclude(pk__in=rows.filter(has_score).values("pk"))[:most])


def _roster(assignment: Assignment) -> QuerySet[Any]:
    return Enrollment.objects.filter(cohort=assignment.cohort_id).order_by("name", "email", "pk")


def _shared_numbers(roster: QuerySet[Any]) -> QuerySet[Any]:
    numbers = roster.exclude(student_number="").order_by().values(key=Lower("student_number"))
    shared: QuerySet[Any] = numbers.annotate(number=Count("pk")).filter(number__gt=1)
    return shared


def _has_released_score() -> Q:
    # A released value may have no overall score, while it needs review.
    return Q(grade__released__isnull=False) & ~Q(grade__released__overall_score=None)
