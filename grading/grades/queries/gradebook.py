"""A cohort's grades at one assignment, as a list that can be filtered. No report is opened for it."""

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
from django.db.models.functions import MD5, Concat

from grading.core.enums import OPEN_STATES, PENDING_APPEALS, AuditKind, AuditState
from grading.models import Appeal, Assignment, Audit, Enrollment, Grade, Submission

STATES = {
    "handed": "handed in",
    "graded": "with a verdict",
    "judged": "judged in full",
    "review": "needs review",
    "running": "not judged yet",
    "failed": "failed",
    "nothing": "nothing handed in",
    "pinned": "pinned attempt",
    "hand": "scored by hand",
}
RELEASES = {"released": "released", "changed": "changed since", "not": "not released"}
SORTS = {
    "name": "name",
    "-name": "name, backwards",
    "-score": "score, best first",
    "score": "score, lowest first",
    "-spread": "spread, widest first",
    "-released": "latest release first",
    "chance": "by chance, always the same",
}
_COLUMNS = {
    "name": "name",
    "score": "grade__overall_score",
    "spread": "grade__widest_spread",
    "released": "grade__released_at",
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for; "" and None look for nothing. `high` itself is outside, `score` is "1" to "5" or "none".

    `criterion` is a position among the overview's criteria; `score` and `apart` are about it.
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
    """One student. What follows `latest_state` is null or empty before a first verdict."""

    student: str
    attempts: int
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
    changed: bool


@dataclass(frozen=True, slots=True)
class Counts:
    """How many students there are of each kind: each number is a filter's."""

    students: int
    graded: int
    released: int
    changed: int
    pinned: int
    overridden: int
    flagged: int
    flags: dict[str, int]


def rows_of(
    assignment: Assignment, wanted: Wanted, among: Iterable[UUID] | None = None
) -> QuerySet[Any]:
    """Enrollments as `read_row` wants them, to be paged. `among`: only where one of these audits counts."""
    rows = _annotated(assignment).filter(_about_state(wanted.state), _about_release(wanted.release))
    if wanted.flag:
        rows = rows.filter(_about_flag(wanted.flag))
    if wanted.q:
        rows = rows.filter(Q(name__icontains=wanted.q) | Q(email__icontains=wanted.q))
    if wanted.low is not None:
        rows = rows.filter(grade__overall_score__gte=wanted.low)
    if wanted.high is not None:
        rows = rows.filter(grade__overall_score__lt=wanted.high)
    if among is not None:
        rows = rows.filter(grade__audit__in=list(among))
    return rows.order_by(*_order(wanted.sort, assignment))


def read_row(row: Any) -> GradeRow:
    """A row of rows_of."""
    return GradeRow(
        student=str(row),
        attempts=row.attempts or 0,
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
        changed=bool(row.changed),
    )


def counts_of(assignment: Assignment) -> Counts:
    """Over the whole cohort, whatever is filtered. One query."""
    asked = {
        "students": Count("pk"),
        "graded": Count("pk", filter=_graded()),
        "released": Count("pk", filter=_about_release("released")),
        "changed": Count("pk", filter=_about_release("changed")),
        "pinned": Count("pk", filter=_about_state("pinned")),
        "overridden": Count("pk", filter=_about_state("hand")),
        "flagged": Count("pk", filter=_about_flag("flagged")),
    } | {f"flag_{flag}": Count("pk", filter=has_flag(flag)) for flag in FLAGS}
    found = _annotated(assignment).aggregate(**asked)
    flags = {flag: found.pop(f"flag_{flag}") for flag in FLAGS}
    return Counts(**found, flags=flags)


def grades_of(assignment: Assignment) -> QuerySet[Grade]:
    """All of them in the roster's order, with student and submission, snapshot and reports left out; `appealed` says
    whether an appeal waits."""
    grades = Grade.objects.filter(assignment=assignment).annotate(
        appealed=Exists(_pending_appeals(assignment, OuterRef("student")))
    )
    related = grades.select_related("student__user", "audit__submission").defer(
        "released", "audit__report"
    )
    return related.order_by("student__name", "student__email")


def _annotated(assignment: Assignment) -> QuerySet[Any]:
    theirs = Audit.objects.filter(
        submission__assignment=assignment, submission__student=OuterRef("pk")
    )
    newest = theirs.exclude(kind=AuditKind.PEER).order_by("-submission__attempt", "-created_at")
    handed_in = (
        Submission.objects.filter(assignment=assignment, student=OuterRef("pk"))
        .order_by()
        .values("student")
        .annotate(number=Count("pk"))
    )
    rows: QuerySet[Any] = Enrollment.objects.filter(cohort=assignment.cohort_id).annotate(
        grade=FilteredRelation("grades", condition=Q(grades__assignment=assignment)),
        appealed=Exists(_pending_appeals(assignment, OuterRef("pk"))),
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
        changed=F("grade__changed"),
    )
    return rows


def _pending_appeals(assignment: Assignment, student: Any) -> QuerySet[Appeal]:
    return Appeal.objects.filter(
        submission__assignment=assignment, submission__student=student, state__in=PENDING_APPEALS
    )


def _graded() -> Q:
    return Q(grade__pk__isnull=False)


def _about_flag(flag: str) -> Q:
    if flag == "clear":
        return _graded() & ~is_flagged()
    return is_flagged() if flag == "flagged" else has_flag(flag)


def _about_state(state: str) -> Q:
    waiting = Q(grade__pk=None)
    return {
        "": Q(),
        "graded": _graded(),
        "judged": _graded() & Q(grade__needs_review=False),
        "review": Q(grade__needs_review=True),
        "running": waiting & Q(latest_state__in=OPEN_STATES),
        "failed": waiting & Q(latest_state=AuditState.FAILED),
        "nothing": Q(attempts=None),
        "handed": Q(attempts__isnull=False),
        "pinned": Q(grade__pinned=True),
        "hand": Q(grade__overridden__gt=0),
    }[state]


def _about_release(release: str) -> Q:
    return {
        "": Q(),
        "released": Q(grade__released_at__isnull=False),
        "changed": Q(grade__changed=True),
        "not": _graded() & Q(grade__released_at=None),
    }[release]


def _order(sort: str, assignment: Assignment) -> list[Any]:
    """By chance: another order at each assignment, so that nobody is always read by a tired eye, and there the same for
    everybody whenever they come back."""
    if sort == "chance":
        return [MD5(Concat(Value(f"{assignment.pk} "), "pk", output_field=CharField())), "pk"]
    column = F(_COLUMNS[sort.removeprefix("-")])
    first = column.desc(nulls_last=True) if sort.startswith("-") else column.asc(nulls_last=True)
    return [first, "name", "email"]


FAR_APART = 3  # of five: beyond the spread at which the courtroom hears judges again
FLAGS = {
    "spread": "judges far apart",
    "review": "needs review",
    "integrity": "words to the grader",
    "unverified": "unverified claims",
    "judge": "a judge gave no answer",
    "appeal": "appealed",
}


def flags_of(graded: Any) -> tuple[str, ...]:
    """The flags, in the order of FLAGS, of a grade (grades_of), or of a row that carries a
    grade's columns under their own names (rows_of there), null where there is no grade."""
    set_ = {
        "spread": (graded.widest_spread or 0) >= FAR_APART,
        "review": graded.needs_review,
        "integrity": graded.suspected,
        "unverified": graded.unverified,
        "judge": graded.failed_judges,
        "appeal": getattr(graded, "appealed", False),
    }
    return tuple(flag for flag in FLAGS if set_[flag])


def has_flag(flag: str, grade: str = "grade__") -> Q:
    """`grade` leads from a row to its grade; "" where the rows are grades."""
    return {
        "spread": Q(**{f"{grade}widest_spread__gte": FAR_APART}),
        "review": Q(**{f"{grade}needs_review": True}),
        "integrity": Q(**{f"{grade}suspected": True}),
        "unverified": Q(**{f"{grade}unverified": True}),
        "judge": Q(**{f"{grade}failed_judges__gt": 0}),
        "appeal": Q(appealed=True),
    }[flag]


def is_flagged(grade: str = "grade__") -> Q:
    """Any of them."""
    flagged = Q()
    for each in FLAGS:
        flagged |= has_flag(each, grade)
    return flagged


def flagged_among(grades: QuerySet[Grade]) -> QuerySet[Grade]:
    """Those with any of FLAGS, at whatever assignment."""
    theirs = {
        "submission__assignment": OuterRef("assignment"),
        "submission__student": OuterRef("student"),
    }
    waits = Exists(Appeal.objects.filter(state__in=PENDING_APPEALS, **theirs))
    return grades.annotate(appealed=waits).filter(is_flagged(""))
