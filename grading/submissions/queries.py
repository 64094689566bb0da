"""Attempts of one student and of a cohort, and the rules that close an assignment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import (
    Count,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Value,
    prefetch_related_objects,
)
from django.db.models.fields.json import KeyTextTransform
from django.utils import timezone

from grading.audits.queries import (
    GradeKey,
    counting_submission,
    grades_of,
    is_past,
    is_withheld,
    released_verdict_of,
)
from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import (
    JUDGED_STATES,
    AuditKind,
    AuditState,
    CountingPolicy,
    TeamFormation,
)
from grading.core.errors import SubmissionRefused
from grading.core.team_access import (
    is_present_member,
    is_readable_by,
    is_readable_for_user,
    work_key,
    work_keys,
    work_of,
)
from grading.core.time_zones import in_words
from grading.courses.extensions.queries import Terms, terms_of, terms_of_students
from grading.engine.released_verdict import ReleasedCriterion, ReleasedVerdict
from grading.grades.queries.statistics import Cell, cells_of
from grading.models import Assignment, Audit, Enrollment, Grade, Submission, TeamMember

WHOLE_FORM = ""
# A bound on home's size: a student has a few courses with a few attempts each.
MAX_LATEST = 200
WITHDRAWN = "withdrawn"
Visibility = Literal["", "released", "provisional", "withheld"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt as its student may see it.

    `visibility` is "" where there is no verdict, `score` None where none is visible. `released` is
    the verdict that was released for this attempt, `visible_since` the time of the visible result.
    `counts` is true for one attempt at most: the released grade, or without a release what would be
    released now. `may_choose` is true where the student may let this attempt count instead.
    """

    submission: Submission
    audit: Audit | None
    visibility: Visibility
    score: float | None
    released: ReleasedVerdict | None = None
    visible_since: datetime | None = None
    counts: bool = False
    may_choose: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """One student's progress in one assignment, under their terms.

    `latest` and `audit` are None before the first submission, `grade` before the first verdict.
    """

    student: Enrollment
    terms: Terms
    attempts: int
    latest: Submission | None
    audit: Audit | None
    grade: Grade | None


def attempts_used(assignment: Assignment, student: Enrollment) -> int:
    """Return the number of attempts that count; failed audits don't use an attempt."""
    return _work(assignment, student).filter(counts=True).count()


def attempts_left(assignment: Assignment, student: Enrollment, terms: Terms | None = None) -> int:
    """Return the number of attempts left under the student's terms, which may be passed."""
    limit = (terms or terms_of(assignment, student)).max_attempts
    return max(0, limit - attempts_used(assignment, student))


def next_attempt(assignment: Assignment, student: Enrollment) -> int:
    """Return the number of the next submission; numbers are never used twice."""
    earlier = _work(assignment, student)
    return (earlier.aggregate(last=Max("attempt"))["last"] or 0) + 1


def last_attempt(assignment: Assignment, student: Enrollment) -> Submission | None:
    """Return the last attempt that was used; one that failed or was withdrawn is passed over."""
    used = _work(assignment, student).filter(counts=True)
    return used.order_by("-attempt").first()


def attempt_with(
    assignment: Assignment, student: Enrollment, *, commit: str, pdf_sha256: str
) -> int | None:
    """Return the number of the last attempt if it has this commit and report, else None."""
    last = last_attempt(assignment, student)
    if last is None or (last.resolved_commit, last.pdf_sha256) != (commit, pdf_sha256):
        return None
    return last.attempt


def attempts_of(student: Enrollment, assignment: Assignment) -> QuerySet[Submission]:
    """Return the submissions with assignment and `audits`, both newest first, without reports."""
    theirs = _work(assignment, student).select_related("assignment", "student", "team")
    return with_audits(_read_by(student, theirs)).order_by("-attempt")


def attempts_beside(submission: Submission) -> list[Submission]:
    """Return all attempts of this one's student or team as attempts_of, for the same reader."""
    if submission.read_as is not None:
        return list(attempts_of(submission.read_as, submission.assignment))
    theirs = Submission.objects.filter(
        assignment=submission.assignment_id, student=submission.student_id, team=submission.team_id
    )
    return list(
        with_audits(theirs.select_related("assignment", "student", "team")).order_by("-attempt")
    )


def _read_by(student: Enrollment, submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Let a member of a team read the rows as themself."""
    return submissions.annotate(reader_key=Value(student.pk))


def _work(assignment: Assignment, student: Enrollment) -> QuerySet[Submission]:
    return Submission.objects.filter(work_of(assignment, student), assignment=assignment)


def submissions_to(assignment: Assignment) -> QuerySet[Submission]:
    """Return all students' submissions, newest first, loaded as in attempts_of."""
    submissions = Submission.objects.filter(assignment=assignment).select_related(
        "assignment", "student", "team"
    )
    return with_audits(submissions).order_by("-handed_in_at", "pk")


def attempts_across(student: Enrollment, assignments: Iterable[Assignment]) -> QuerySet[Submission]:
    """Return the submissions to several assignments, loaded as in attempts_of."""
    theirs = Submission.objects.filter(
        is_readable_by(student.pk), assignment__in=list(assignments)
    ).select_related("assignment")
    return with_audits(_read_by(student, theirs)).order_by("assignment_id", "-attempt")


def visible_attempts(
    submissions: Iterable[Submission], grades: Mapping[GradeKey, Grade] | None = None
) -> list[Attempt]:
    """Return the submissions as their students may see them, at one query unless given `grades`.

    `audits` and `assignment` must be loaded, as attempts_of does.
    """
    listed = list(submissions)
    by_key = grades_of(listed) if grades is None else grades
    return [_visible_attempt(s, by_key.get((s.assignment_id, s.reader_id))) for s in listed]


def staff_attempt(submission: Submission) -> Attempt:
    """Return the attempt with the score of its audit, released or not."""
    audit = audit_to_show(submission)
    is_judged = audit is not None and audit.state == AuditState.DONE
    return Attempt(submission, audit, "", audit.overall_score if audit and is_judged else None)


def latest_attempts_of(user: User) -> list[Attempt]:
    """Return the user's newest attempts in the entered organizations, as they may see them."""
    latest = LATEST.rows_in_scope(user=user.pk)
    prefetch_related_objects(latest, _audits())
    return visible_attempts(latest)


def _latest(user: int) -> QuerySet[Submission, Submission]:
    membership = TeamMember.objects.filter(team=OuterRef("team"), student__user=user)
    mine = Submission.objects.filter(is_readable_for_user(user)).annotate(
        reader_key=Subquery(membership.values("student")[:1])
    )
    related = mine.select_related("organization", "assignment__cohort")
    return related.order_by("-handed_in_at", "pk")[:MAX_LATEST]


LATEST = OrganizationQuery(_latest, user=int)


def standings_of(assignment: Assignment) -> list[Standing]:
    """Return the whole roster with latest attempts and grades, at five queries, with teams seven.

    All members of a team stand where it does.
    """
    mine = Q(submissions__assignment=assignment)
    students = (
        Enrollment.objects.filter(cohort=assignment.cohort_id)
        .annotate(attempts=Count("submissions", filter=mine))
        # An annotated query loses the model's default order.
        .order_by("name", "email")
    )

    # DISTINCT ON keeps the first row of each student: the newest attempt.
    newest = (
        Submission.objects.filter(assignment=assignment)
        .select_related("team")
        .order_by("student_id", "-attempt")
        .distinct("student_id")
    )
    latest = {submission.student_id: submission for submission in with_audits(newest)}
    grades = (
        Grade.objects.filter(assignment=assignment)
        .annotate(released_attempt=KeyTextTransform("attempt", "released"))
        .select_related("audit__submission")
        .defer("released", "audit__report")
    )
    by_student = {grade.student_id: grade for grade in grades}
    roster = list(students)
    terms = terms_of_students(assignment, roster)
    keys = work_keys(assignment, roster)
    attempts = {student.pk: student.attempts for student in roster}
    return [
        Standing(
            student=student,
            terms=terms[student.pk],
            attempts=attempts.get(key, 0),
            latest=latest.get(key),
            audit=audit_to_show(latest[key]) if key in latest else None,
            grade=by_student.get(student.pk),
        )
        for student in roster
        for key in [keys.get(student.pk, 0)]
    ]


def audit_to_show(submission: Submission) -> Audit | None:
    """Return the current audit, as grading.audits.queries.current_audit, else the newest one.

    Never a peer's. No query for a submission from attempts_of or standings_of.
    """
    own = [audit for audit in submission.audits.all() if audit.kind != AuditKind.PEER]
    # The sort is stable: of equals the newest stays first.
    return next(iter(sorted(own, key=_after_verdicts)), None)


def _after_verdicts(audit: Audit) -> int:
    if not audit.has_report:
        return 2
    return 1 if audit.state == AuditState.DEGRADED else 0


def _visible_attempt(submission: Submission, grade: Grade | None) -> Attempt:
    audit, released = audit_to_show(submission), released_verdict_of(submission, grade)
    if audit is None or not audit.has_report:
        return Attempt(submission, audit, "", None)

    if released is not None and grade is not None:
        return Attempt(
            submission,
            audit,
            "released",
            released.overall_score,
            released,
            visible_since=released.at or grade.released_at,
            counts=counting_submission(grade) == str(submission.pk),
        )

    counts = grade is not None and counting_submission(grade) == str(submission.pk)
    may_choose = _may_choose(submission, audit, grade)
    if is_withheld(submission, grade):
        # Only what the student chose is told: another policy would reveal scores.
        is_choice = submission.assignment.counting_policy == CountingPolicy.CHOSEN
        return Attempt(
            submission, audit, "withheld", None, counts=counts and is_choice, may_choose=may_choose
        )

    is_graded = grade is not None and grade.audit.submission_id == submission.pk
    score = _score_before_release(grade) if grade and is_graded else _verdict_of(audit)
    visibility: Visibility = "" if is_past(submission, grade) else "provisional"
    return Attempt(
        submission,
        audit,
        visibility,
        score,
        visible_since=audit.finished_at,
        counts=counts,
        may_choose=may_choose,
    )


def _score_before_release(grade: Grade) -> float | None:
    """Return the score without the student's own adjustment, which they are told by the release."""
    return grade.overall_score if grade.adjusted_from is None else grade.adjusted_from


def _may_choose(submission: Submission, audit: Audit, grade: Grade | None) -> bool:
    """Return whether grades.actions.choose_attempt would change which attempt counts."""
    return (
        submission.assignment.counting_policy == CountingPolicy.CHOSEN
        and audit.state in JUDGED_STATES
        and grade is not None
        and not grade.pinned
        and grade.released is None
        and grade.audit.submission_id != submission.pk
    )


def _verdict_of(audit: Audit) -> float | None:
    """Return the overall score, or None while a criterion waits for a person."""
    return audit.overall_score if audit.state == AuditState.DONE else None


def with_audits(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Load their `audits`, newest first and without reports, as audit_to_show needs them."""
    return submissions.prefetch_related(_audits())


def _audits() -> Prefetch[Any, Any, Any]:
    return Prefetch("audits", queryset=Audit.objects.defer("report").order_by("-created_at"))


def counting_ids(submissions: Iterable[Submission], *, is_staff: bool) -> frozenset[str]:
    """Return the ids of those that count for the grade, as this reader may know it."""
    listed = list(submissions)
    grades = grades_of(listed)
    if is_staff:
        return frozenset(map(counting_submission, grades.values()))
    attempts = visible_attempts(listed, grades)
    return frozenset(str(attempt.submission.pk) for attempt in attempts if attempt.counts)


Criteria = Mapping[str, tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class CriterionHistory:
    """Name of a criterion with each attempt's cell; None where unjudged or not visible."""

    name: str
    cells: tuple[tuple[Attempt, Cell | None], ...]


def criteria_by_attempt(attempts: Sequence[Attempt]) -> tuple[CriterionHistory, ...]:
    """Return the criteria of one student's attempts, at two queries.

    The attempts are as their reader may see them (peer_review/exchange/queries.py). A released
    attempt has its released scores, a withheld one none, any other its verdict with overrides.
    """
    visible = _criteria_of(attempts)
    names = {key: name for criteria in visible for key, (name, _) in criteria.items()}
    return tuple(
        CriterionHistory(name, _cells(key, attempts, visible)) for key, name in names.items()
    )


def criteria_before(submission: Submission, attempts: Sequence[Attempt]) -> Criteria | None:
    """Return (name, cell) by criterion id of the last judged attempt before this one.

    `attempts` are the student's, newest first, as their reader may see them; None where these have
    no verdict before. Two queries at most.
    """
    earlier = [row for row in attempts if row.submission.attempt < submission.attempt]
    return next((criteria for criteria in _criteria_of(earlier) if criteria), None)


def _criteria_of(attempts: Sequence[Attempt]) -> list[Criteria]:
    audits = {
        attempt.audit.pk: attempt.submission.pk
        for attempt in attempts
        if attempt.visibility not in {"released", "withheld"}
        and attempt.audit
        and attempt.audit.has_report
    }
    judged = cells_of(audits)
    return [_visible_criteria(attempt, judged) for attempt in attempts]


def _cells(
    key: str, attempts: Sequence[Attempt], visible: Sequence[Criteria]
) -> tuple[tuple[Attempt, Cell | None], ...]:
    return tuple(
        (attempt, criteria[key][1] if key in criteria else None)
        for attempt, criteria in zip(attempts, visible, strict=True)
    )


def _visible_criteria(attempt: Attempt, judged: Mapping[UUID, Criteria]) -> Criteria:
    if attempt.released is not None:
        return _released_criteria(attempt.released.criteria)
    return judged.get(attempt.audit.pk, {}) if attempt.audit else {}


def _released_criteria(rows: Sequence[ReleasedCriterion]) -> Criteria:
    """Return the released criteria as cells, in the report's order."""
    return {
        row.id: (row.name, Cell(place, row.score, row.override_reason is not None, row.excluded))
        for place, row in enumerate(rows)
    }


def refuse_without_team(assignment: Assignment, student: Enrollment) -> None:
    """Raise SubmissionRefused team_missing where students submit in teams and this one has none."""
    if work_key(assignment, student) is None:
        by = (
            "Form or join one"
            if assignment.team_formation == TeamFormation.STUDENTS
            else ("Your teachers form the teams: ask them")
        )
        raise SubmissionRefused(
            WHOLE_FORM, "team_missing", f"Here you submit in a team, and you are in none. {by}."
        )


def team_refusal(assignment: Assignment, student: Enrollment) -> SubmissionRefused | None:
    """Return why the student cannot submit before they are in a team; None if they can."""
    try:
        refuse_without_team(assignment, student)
    except SubmissionRefused as refusal:
        return refusal
    return None


def closed_reason(*, terms: Terms, left: int) -> SubmissionRefused | None:
    """Return why no submission is possible now, or None while the assignment is open.

    `terms` and `left`, the number of attempts left, are the student's.
    """
    try:
        refuse_unless_open(terms, timezone.now())
        refuse_without_attempts(left, terms)
    except SubmissionRefused as refusal:
        return refusal
    return None


def refuse_unless_open(terms: Terms, now: datetime) -> None:
    if terms.opens_at and now < terms.opens_at:
        opening = in_words(terms.opens_at)
        raise SubmissionRefused(WHOLE_FORM, "not_open_yet", f"This assignment opens on {opening}.")
    if terms.refuses_late and terms.is_after_due(now) and terms.due_at:
        due = in_words(terms.due_at)
        raise SubmissionRefused(WHOLE_FORM, "after_due_date", f"This assignment was due on {due}.")


def refuse_without_attempts(left: int, terms: Terms) -> None:
    if left <= 0:
        limit = terms.max_attempts
        attempts = "your only attempt" if limit == 1 else f"all {limit} attempts"
        raise SubmissionRefused(WHOLE_FORM, "attempts_used_up", f"You have used {attempts}.")


def may_withdraw(audit: Audit, user: User) -> bool:
    """Return True for its student or a present member of its team, while no worker has it."""
    is_own = is_present_member(user.pk, audit.submission)
    return is_own and audit.state == AuditState.QUEUED and audit.kind == AuditKind.SELF
