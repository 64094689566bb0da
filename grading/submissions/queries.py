"""A student's attempts at an assignment, and a cohort's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Count, Max, Prefetch, Q, QuerySet
from django.utils import timezone

from grading.audits.queries import GradeKey, grades_of, is_past, is_withheld, released_verdict_of
from grading.core.enums import AuditKind, AuditState, LatePolicy
from grading.core.errors import SubmissionRefused
from grading.engine.released_verdict import ReleasedCriterion, ReleasedVerdict
from grading.grades.queries.statistics import Cell, cells_of
from grading.models import Assignment, Audit, Enrollment, Grade, Submission

WHOLE_FORM = ""
WITHDRAWN = "withdrawn"
Visibility = Literal["", "released", "provisional", "withheld"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt as its student may see it. `visibility` is "" where there is no verdict; `score` null where none is shown.

    `released` is what the student was told of it, in the shape of Grade.released, and `visible_since` is since when they see it
    what they see. `counts`: it is their grade, or would be if what is provisional were released now.
    """

    submission: Submission
    audit: Audit | None
    visibility: Visibility
    score: float | None
    released: ReleasedVerdict | None = None
    visible_since: datetime | None = None
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one student stands with one assignment. `latest` and `audit` are null before a first hand-in, `grade`
    before a first verdict."""

    student: Enrollment
    attempts: int
    latest: Submission | None
    audit: Audit | None
    grade: Grade | None


def attempts_used(assignment: Assignment, student: Enrollment) -> int:
    """How many attempts count; those whose audit failed do not."""
    return Submission.objects.filter(assignment=assignment, student=student, counts=True).count()


def attempts_left(assignment: Assignment, student: Enrollment) -> int:
    return max(0, assignment.max_attempts - attempts_used(assignment, student))


def next_attempt(assignment: Assignment, student: Enrollment) -> int:
    """The number of the next hand-in; numbers are never used twice."""
    taken = Submission.objects.filter(assignment=assignment, student=student)
    return (taken.aggregate(last=Max("attempt"))["last"] or 0) + 1


def attempts_of(student: Enrollment, assignment: Assignment) -> QuerySet[Submission]:
    """Newest first, each with its assignment and its `audits` (newest first, reports left out)."""
    theirs = Submission.objects.filter(student=student, assignment=assignment)
    return with_audits(theirs.select_related("assignment", "student")).order_by("-attempt")


def submissions_to(assignment: Assignment) -> QuerySet[Submission]:
    """Everybody's attempts, newest first, each with its student, its assignment and its `audits` as in attempts_of."""
    everybody = Submission.objects.filter(assignment=assignment).select_related(
        "assignment", "student"
    )
    return with_audits(everybody).order_by("-handed_in_at", "pk")


def attempts_across(student: Enrollment, assignments: Iterable[Assignment]) -> QuerySet[Submission]:
    """As attempts_of, at several assignments at once."""
    theirs = Submission.objects.filter(student=student, assignment__in=list(assignments))
    return with_audits(theirs.select_related("assignment")).order_by("assignment_id", "-attempt")


def visible_attempts(
    submissions: Iterable[Submission], grades: Mapping[GradeKey, Grade] | None = None
) -> list[Attempt]:
    """The submissions, from attempts_of or with `audits` and `assignment` loaded, as their students may see them.

    One query more, unless their `grades` are known already.
    """
    listed = list(submissions)
    by_place = grades_of(listed) if grades is None else grades
    return [_visible_attempt(s, by_place.get((s.assignment_id, s.student_id))) for s in listed]


def latest_attempts_of(user: User, *, limit: int = 10) -> list[Attempt]:
    """The user's own newest attempts in the organizations whose scope is entered, as they may see them."""
    mine = with_audits(Submission.objects.filter(student__user=user))
    related = mine.select_related("organization", "assignment__cohort")
    return visible_attempts(related.order_by("-handed_in_at", "pk")[:limit])


def standings_of(assignment: Assignment) -> list[Standing]:
    """Everybody in the cohort, in the roster's order, with their latest attempt and their grade. Four queries."""
    mine = Q(submissions__assignment=assignment)
    students = (
        Enrollment.objects.filter(cohort=assignment.cohort_id)
        .annotate(attempts=Count("submissions", filter=mine))
        .order_by("name", "email")
    )  # a query that counts loses the model's own order
    newest = (
        Submission.objects.filter(assignment=assignment)
        .order_by("student_id", "-attempt")
        .distinct("student_id")
    )
    latest = {submission.student_id: submission for submission in with_audits(newest)}
    grades = {
        g.student_id: g for g in Grade.objects.filter(assignment=assignment).defer("released")
    }
    return [
        Standing(
            student=student,
            attempts=student.attempts,
            latest=latest.get(student.pk),
            audit=audit_to_show(latest[student.pk]) if student.pk in latest else None,
            grade=grades.get(student.pk),
        )
        for student in students
    ]


def audit_to_show(submission: Submission) -> Audit | None:
    """The audit that stands (grading.audits.queries.current_audit), else the newest; never a peer's.

    No query for a submission from attempts_of or standings_of.
    """
    own = [audit for audit in submission.audits.all() if audit.kind != AuditKind.PEER]
    return next(iter(sorted(own, key=_after_verdicts)), None)


def _after_verdicts(audit: Audit) -> int:
    if not audit.has_report:
        return 2
    return 1 if audit.state == AuditState.DEGRADED else 0


def _visible_attempt(submission: Submission, grade: Grade | None) -> Attempt:
    audit, told = audit_to_show(submission), released_verdict_of(submission, grade)
    if audit is None or not audit.has_report:
        return Attempt(submission, audit, "", None)
    if told is not None and grade is not None:
        stands = told.submission == (grade.released or {}).get("submission")
        at = told.at or grade.released_at
        return Attempt(
            submission, audit, "released", told.overall_score, told, visible_since=at, counts=stands
        )
    if is_withheld(submission, grade):
        return Attempt(submission, audit, "withheld", None)
    counts = grade is not None and grade.audit.submission_id == submission.pk
    score = grade.overall_score if grade and counts else _verdict_of(audit)
    kind: Visibility = "" if is_past(submission, grade) else "provisional"
    return Attempt(submission, audit, kind, score, visible_since=audit.finished_at, counts=counts)


def _verdict_of(audit: Audit) -> float | None:
    """No overall score while a criterion waits for a person."""
    return audit.overall_score if audit.state == AuditState.DONE else None


def with_audits(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Their `audits` loaded, newest first, reports left out, as audit_to_show asks for them."""
    audits = Audit.objects.defer("report").order_by("-created_at")
    return submissions.prefetch_related(Prefetch("audits", queryset=audits))


Criteria = Mapping[str, tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class CriterionHistory:
    """A criterion's name, and each attempt with its cell; null where it was not judged, or nothing may be seen."""

    name: str
    cells: tuple[tuple[Attempt, Cell | None], ...]


def criteria_by_attempt(attempts: Sequence[Attempt]) -> tuple[CriterionHistory, ...]:
    """One student's attempts as their reader may see them (peer_review/exchange/queries.py), in their order. Two queries.

    What was released is as it was told; of what is withheld nothing; else the verdict, with scores by hand.
    """
    unreleased = [each for each in attempts if each.visibility not in {"released", "withheld"}]
    audits = {
        each.audit.pk: each.submission.pk
        for each in unreleased
        if each.audit and each.audit.has_report
    }
    judged = cells_of(audits)
    seen = [_seen_criteria_over(each, judged) for each in attempts]
    names = {key: name for criteria in seen for key, (name, _) in criteria.items()}
    return tuple(CriterionHistory(name, _cells(key, attempts, seen)) for key, name in names.items())


def _cells(
    key: str, attempts: Sequence[Attempt], seen: Sequence[Criteria]
) -> tuple[tuple[Attempt, Cell | None], ...]:
    return tuple(
        (attempt, criteria[key][1] if key in criteria else None)
        for attempt, criteria in zip(attempts, seen, strict=True)
    )


def _seen_criteria_over(attempt: Attempt, judged: Mapping[UUID, Criteria]) -> Criteria:
    if attempt.released is not None:
        return _told(attempt.released.criteria)
    return judged.get(attempt.audit.pk, {}) if attempt.audit else {}


def _told(rows: Sequence[ReleasedCriterion]) -> Criteria:
    """Return the released criteria as cells, in the report's order."""
    return {
        row.id: (row.name, Cell(place, row.score, row.override_reason is not None, row.excluded))
        for place, row in enumerate(rows)
    }


def closed_reason(*, assignment: Assignment, left: int) -> SubmissionRefused | None:
    """What would refuse any hand-in now: too early, too late, or none of the attempts `left`; None while it is open."""
    try:
        refuse_unless_open(assignment, timezone.now())
        refuse_without_attempts(left, assignment)
    except SubmissionRefused as refused:
        return refused
    return None


def refuse_unless_open(assignment: Assignment, now: datetime) -> None:
    if assignment.opens_at and now < assignment.opens_at:
        opening = f"{assignment.opens_at:%d %B %Y, %H:%M %Z}"
        raise SubmissionRefused(WHOLE_FORM, "not_open_yet", f"This assignment opens on {opening}.")
    if is_late(assignment, now) and assignment.late_policy == LatePolicy.REFUSE:
        due = f"{assignment.due_at:%d %B %Y, %H:%M %Z}"
        raise SubmissionRefused(WHOLE_FORM, "after_due_date", f"This assignment was due on {due}.")


def is_late(assignment: Assignment, now: datetime) -> bool:
    return assignment.due_at is not None and now > assignment.due_at


def refuse_without_attempts(left: int, assignment: Assignment) -> None:
    if left <= 0:
        most = assignment.max_attempts
        used_up = (
            "The one attempt is used up." if most == 1 else f"All {most} attempts are used up."
        )
        raise SubmissionRefused(WHOLE_FORM, "attempts_used_up", used_up)


def may_withdraw(audit: Audit, user: User) -> bool:
    """Its student, as long as nobody has begun with it."""
    theirs = audit.submission.student.user_id == user.pk
    return theirs and audit.state == AuditState.QUEUED and audit.kind == AuditKind.SELF
