"""Filterable list of a cohort's grades at one assignment. It opens no report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import (
    CharField,
    Count,
    Exists,
    F,
    FilteredRelation,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import MD5, Concat

from grading.core.enums import OPEN_STATES, PENDING_APPEALS, AuditKind, AuditState, TeamFormation
from grading.courses.extensions.queries import extensions_held
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    Enrollment,
    Grade,
    ReviewMark,
    Submission,
    TeamMember,
)

STATES = {
    "handed": "submitted",
    "graded": "with a verdict",
    "judged": "fully judged",
    "review": "needs review",
    "running": "not judged yet",
    "failed": "failed",
    "nothing": "not submitted",
    "pinned": "pinned attempt",
    "hand": "overridden",
    "extended": "with an extension",
}
RELEASES = {"released": "released", "changed": "changed since", "not": "not released"}
SORTS = {
    "name": "name",
    "-name": "name, Z to A",
    "-score": "score, best first",
    "score": "score, lowest first",
    "-spread": "spread, widest first",
    "-released": "latest release first",
    "chance": "shuffled (stable)",
}
_COLUMNS = {
    "name": "name",
    "score": "grade__overall_score",
    "spread": "grade__widest_spread",
    "released": "grade__released_at",
}


@dataclass(frozen=True, slots=True)
class GradeFilters:
    """Filters; "" and None mean any. `high` is exclusive, `score` is "1" to "5" or "none".

    `criterion` is a position among the overview's criteria; `score` and `apart` apply to it.
    """

    q: str = ""
    state: str = ""
    flag: str = ""
    release: str = ""
    sort: str = "name"
    low: float | None = None
    high: float | None = None
    criterion: int | None = None
    score: str = ""
    apart: bool = False


@dataclass(frozen=True, slots=True)
class GradeRow:
    """One student. Fields after `latest_state` are null or empty before a first verdict."""

    student: str
    team: str
    attempts: int
    extended: bool
    latest_state: str | None
    grade: int | None
    audit: UUID | None
    attempt: int | None
    score: float | None
    points_earned: float | None
    points_possible: float | None
    flags: tuple[str, ...]
    overridden: int
    pinned: bool
    released_at: datetime | None
    released_attempt: str | None
    changed: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of students for each filter."""

    students: int
    graded: int
    released: int
    changed: int
    pinned: int
    overridden: int
    flagged: int
    flags: dict[str, int]


def rows_of(
    assignment: Assignment, filters: GradeFilters, audits: Iterable[UUID] | None = None
) -> QuerySet[Any]:
    """Return enrollments for `grade_row_of`, to be paged; `audits` limits them to these."""
    rows = _annotated(assignment).filter(
        _state_filter(filters.state), _release_filter(filters.release)
    )
    if filters.flag:
        rows = rows.filter(_flag_filter(filters.flag))
    if filters.q:
        rows = rows.filter(Q(name__icontains=filters.q) | Q(email__icontains=filters.q))
    if filters.low is not None:
        rows = rows.filter(grade__overall_score__gte=filters.low)
    if filters.high is not None:
        rows = rows.filter(grade__overall_score__lt=filters.high)
    if audits is not None:
        rows = rows.filter(grade__audit__in=list(audits))

    return rows.order_by(*_order(filters.sort, assignment))


def grade_row_of(row: Any) -> GradeRow:
    """Convert a row of rows_of."""
    return GradeRow(
        student=str(row),
        team=vars(row).get("team_name") or "",
        attempts=row.attempts or 0,
        extended=row.extended,
        latest_state=row.latest_state,
        grade=row.grade_key,
        audit=row.audit_key,
        attempt=row.attempt,
        score=row.score,
        points_earned=row.points_earned,
        points_possible=row.points_possible,
        flags=flags_of(row),
        overridden=row.overridden or 0,
        pinned=bool(row.pinned),
        released_at=row.released_at,
        released_attempt=row.released_attempt,
        changed=bool(row.changed),
    )


def counts_of(assignment: Assignment) -> Counts:
    """Count the whole cohort, whatever is filtered. One query."""
    aggregates = {
        "students": Count("pk"),
        "graded": Count("pk", filter=_has_grade()),
        "released": Count("pk", filter=_release_filter("released")),
        "changed": Count("pk", filter=_release_filter("changed")),
        "pinned": Count("pk", filter=_state_filter("pinned")),
        "overridden": Count("pk", filter=_state_filter("hand")),
        "flagged": Count("pk", filter=_flag_filter("flagged")),
    } | {f"flag_{flag}": Count("pk", filter=has_flag(flag)) for flag in FLAGS}
    counts = _annotated(assignment).aggregate(**aggregates)
    flags = {flag: counts.pop(f"flag_{flag}") for flag in FLAGS}

    return Counts(**counts, flags=flags)


def grades_of(assignment: Assignment) -> QuerySet[Grade]:
    """Return all grades in the roster's order, with student and submission.

    Released values and reports are deferred; `appealed` says whether an appeal is pending,
    `staff_flagged` whether staff flagged the attempt in the grading queue.
    """
    # An appeal is about the work: that of one member flags the grade of each.
    grades = Grade.objects.filter(assignment=assignment).annotate(
        appealed=Exists(_pending_appeals(assignment, OuterRef("audit__submission__student"))),
        staff_flagged=Exists(_staff_flags(OuterRef("audit__submission"))),
    )
    related = grades.select_related("student__user", "audit__submission").defer(
        "released", "audit__report"
    )

    return related.order_by("student__name", "student__email")


def _annotated(assignment: Assignment) -> QuerySet[Any]:
    # A team's work is kept under its representative.
    key = "pk" if assignment.team_formation == TeamFormation.NONE else "work_key"
    theirs = Audit.objects.filter(
        submission__assignment=assignment, submission__student=OuterRef(key)
    )
    # A peer's audit says nothing about the state of the student's own work.
    newest = theirs.exclude(kind=AuditKind.PEER).order_by("-submission__attempt", "-created_at")
    handed_in = (
        Submission.objects.filter(assignment=assignment, student=OuterRef(key))
        .order_by()
        .values("student")
        .annotate(number=Count("pk"))
    )
    # Start from enrollments: students without a submission belong in the list too.
    students: QuerySet[Any] = Enrollment.objects.filter(cohort=assignment.cohort_id)
    if key == "work_key":
        current = TeamMember.objects.filter(
            assignment=assignment, student=OuterRef("pk"), left_at=None
        )
        students = students.annotate(
            work_key=Subquery(current.values("team__representative")[:1]),
            team_name=Subquery(current.values("team__name")[:1]),
        )
    rows: QuerySet[Any] = students.annotate(
        grade=FilteredRelation("grades", condition=Q(grades__assignment=assignment)),
        appealed=Exists(_pending_appeals(assignment, OuterRef(key))),
        staff_flagged=Exists(_staff_flags(OuterRef("grade__audit__submission"))),
        extended=extensions_held(assignment),
        latest_state=Subquery(newest.values("state")[:1]),
        attempts=Subquery(handed_in.values("number")),
        grade_key=F("grade__pk"),
        audit_key=F("grade__audit"),
        attempt=F("grade__audit__submission__attempt"),
        score=F("grade__overall_score"),
        points_earned=F("grade__points_earned"),
        points_possible=F("grade__points_possible"),
        widest_spread=F("grade__widest_spread"),
        needs_review=F("grade__needs_review"),
        suspected=F("grade__suspected"),
        unverified=F("grade__unverified"),
        failed_judges=F("grade__failed_judges"),
        overridden=F("grade__overridden"),
        pinned=F("grade__pinned"),
        released_at=F("grade__released_at"),
        released_attempt=KeyTextTransform("attempt", "grade__released"),
        changed=F("grade__changed"),
    )

    return rows


def _pending_appeals(assignment: Assignment, student: Any) -> QuerySet[Appeal]:
    return Appeal.objects.filter(
        submission__assignment=assignment, submission__student=student, state__in=PENDING_APPEALS
    )


def _staff_flags(submission: Any) -> QuerySet[ReviewMark]:
    return ReviewMark.objects.filter(submission=submission, flagged_at__isnull=False)


def _has_grade() -> Q:
    return Q(grade__pk__isnull=False)


def _flag_filter(flag: str) -> Q:
    if flag == "clear":
        return _has_grade() & ~is_flagged()
    return is_flagged() if flag == "flagged" else has_flag(flag)


def _state_filter(state: str) -> Q:
    waiting = Q(grade__pk=None)
    return {
        "": Q(),
        "graded": _has_grade(),
        "judged": _has_grade() & Q(grade__needs_review=False),
        "review": Q(grade__needs_review=True),
        "running": waiting & Q(latest_state__in=OPEN_STATES),
        "failed": waiting & Q(latest_state=AuditState.FAILED),
        "nothing": Q(attempts=None),
        "handed": Q(attempts__isnull=False),
        "pinned": Q(grade__pinned=True),
        "hand": Q(grade__overridden__gt=0),
        "extended": Q(extended=True),
    }[state]


def _release_filter(release: str) -> Q:
    return {
        "": Q(),
        "released": Q(grade__released_at__isnull=False),
        "changed": Q(grade__changed=True),
        "not": _has_grade() & Q(grade__released_at=None),
    }[release]


def _order(sort: str, assignment: Assignment) -> list[Any]:
    """Return the ordering; shuffled means a different but stable order for each assignment.

    So nobody is always read last, by a tired reader, and everyone gets the same order every time.
    """
    if sort == "chance":
        # Hash in the database, because pages are cut there.
        return [MD5(Concat(Value(f"{assignment.pk} "), "pk", output_field=CharField())), "pk"]
    # Students without a grade come last in both directions.
    column = F(_COLUMNS[sort.removeprefix("-")])
    first = column.desc(nulls_last=True) if sort.startswith("-") else column.asc(nulls_last=True)
    return [first, "name", "email"]


# Of five points: more than the spread at which the courtroom hears the judges again.
FAR_APART = 3
FLAGS = {
    "spread": "judges far apart",
    "review": "needs review",
    "integrity": "possible prompt injection",
    "unverified": "unverified claims",
    "judge": "a judge gave no answer",
    "appeal": "appealed",
    "staff": "flagged by staff",
}


def flags_of(grade: Any) -> tuple[str, ...]:
    """Return the flags in the order of FLAGS, of a grade (grades_of) or of a row of rows_of.

    Such a row has the grade's columns under their own names, null where there is no grade.
    """
    is_set = {
        "spread": (grade.widest_spread or 0) >= FAR_APART,
        "review": grade.needs_review,
        "integrity": grade.suspected,
        "unverified": grade.unverified,
        "judge": grade.failed_judges,
        "appeal": getattr(grade, "appealed", False),
        "staff": getattr(grade, "staff_flagged", False),
    }
    return tuple(flag for flag in FLAGS if is_set[flag])


def has_flag(flag: str, grade: str = "grade__") -> Q:
    """`grade` leads from a row to its grade; "" where the rows are grades."""
    return {
        "spread": Q(**{f"{grade}widest_spread__gte": FAR_APART}),
        "review": Q(**{f"{grade}needs_review": True}),
        "integrity": Q(**{f"{grade}suspected": True}),
        "unverified": Q(**{f"{grade}unverified": True}),
        "judge": Q(**{f"{grade}failed_judges__gt": 0}),
        "appeal": Q(appealed=True),
        "staff": Q(staff_flagged=True),
    }[flag]


def is_flagged(grade: str = "grade__") -> Q:
    """Match any flag."""
    flagged = Q()
    for flag in FLAGS:
        flagged |= has_flag(flag, grade)
    return flagged


def flagged_among(grades: QuerySet[Grade]) -> QuerySet[Grade]:
    """Return those with any of FLAGS, at any assignment."""
    theirs = {
        "submission__assignment": OuterRef("assignment"),
        "submission__student": OuterRef("audit__submission__student"),
    }
    waits = Exists(Appeal.objects.filter(state__in=PENDING_APPEALS, **theirs))
    marked = Exists(_staff_flags(OuterRef("audit__submission")))
    return grades.annotate(appealed=waits, staff_flagged=marked).filter(is_flagged(""))
