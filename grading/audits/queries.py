"""Queries about audits: the current audit, the visible report, opinions and usage."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, IntegerField, Q, QuerySet, Sum, Value, When
from django.utils import timezone

from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import REPORTED_STATES, AuditKind, AuditState, ReleasePolicy
from grading.core.team_access import counts_for
from grading.engine.released_verdict import ReleasedVerdict, parse_released
from grading.engine.report import Report, parse_report
from grading.models import (
    Assignment,
    Audit,
    BulkRun,
    Cohort,
    CriterionVerdict,
    Grade,
    ModelUsage,
    OpinionRecord,
    Organization,
    Submission,
    SupersededReport,
)

GradeKey = tuple[int, int]  # the keys of an assignment and of a student

# A degraded report holds no verdict: it stands only where there is none.
_VERDICTS_FIRST = Case(
    When(state=AuditState.DEGRADED, then=Value(1)), default=Value(0), output_field=IntegerField()
)


@dataclass(frozen=True)  # without slots, so that the report is parsed at first use
class VisibleReport:
    """A report as one reader may see it; `document` is its stored JSON, for downloads.

    `released` is the released verdict, if this is a released report. Otherwise overrides count
    (grades/queries/final_scores.py), and `provisional` marks a score that may still change.
    `grade` is the student's grade, None before any verdict.
    """

    document: dict[str, Any]
    grade: Grade | None
    released: ReleasedVerdict | None
    provisional: bool

    @cached_property
    def report(self) -> Report:
        """The typed report. Raises ReportUnreadable."""
        return parse_report(self.document)


def document_of(audit: Audit) -> dict[str, Any] | None:
    """Return the report's JSON as stored, read from the database only now; None without one."""
    if not audit.has_report:
        return None
    return Audit.objects.values_list("report", flat=True).get(pk=audit.pk)


def report_of(audit: Audit) -> Report | None:
    """Return the typed report, read from the database only now. Raises ReportUnreadable."""
    document = document_of(audit)
    return None if document is None else parse_report(document)


def visible_report(audit: Audit, *, is_staff: bool) -> VisibleReport | None:
    """Return the report of this audit for this reader; None where there is none to see.

    Staff see the current report. Students see the released report of a released submission,
    whichever of its audits they open; otherwise the assignment's release policy decides.
    """
    submission, grade = audit.submission, grade_of(audit.submission)
    if is_staff:
        return _current_report(audit, grade, provisional=grade is None or grade.released is None)

    released = released_verdict_of(submission, grade)
    # A peer's audit has a report of its own, which no release replaces.
    if released is not None and audit.kind != AuditKind.PEER:
        return VisibleReport(_released_document(released), grade, released, provisional=False)
    if is_withheld(submission, grade):
        return None
    return _current_report(audit, grade, provisional=not is_past(submission, grade))


def _grade(assignment: int, student: int) -> QuerySet[Grade, Grade]:
    theirs = Grade.objects.filter(assignment=assignment, student=student)
    return theirs.select_related("released_by", "audit__submission").defer("audit__report")


GRADE = OrganizationQuery(_grade, assignment=int, student=int)


def grade_of(submission: Submission) -> Grade | None:
    """Return the grade of its reader, even if this attempt does not count."""
    return GRADE.row(assignment=submission.assignment_id, student=submission.reader_id)


def grades_of(submissions: Iterable[Submission]) -> dict[GradeKey, Grade]:
    """Return the readers' grades by assignment and student, with their audits, at one query."""
    keys = {(submission.assignment_id, submission.reader_id) for submission in submissions}
    if not keys:
        return {}
    if len(keys) == 1:
        # The attempts of one student, as most pages list them: that query is compiled.
        [(assignment, student)] = keys
        grade = GRADE.row(assignment=assignment, student=student)
        return {(assignment, student): grade} if grade else {}
    assignments, students = map(set, zip(*keys, strict=True))
    grades = Grade.objects.filter(assignment__in=assignments, student__in=students)
    rows = grades.select_related("audit").defer("audit__report")
    return {(grade.assignment_id, grade.student_id): grade for grade in rows}


def released_verdict_of(submission: Submission, grade: Grade | None) -> ReleasedVerdict | None:
    """Return the released verdict of this submission, even if another was released later.

    None where it was never released.
    """
    released = parse_released(grade.released) if grade else None
    return released.about(str(submission.pk)) if released else None


def counting_submission(grade: Grade) -> str:
    """Return the id of the submission whose verdict is the grade: the released one, if any."""
    return str((grade.released or {}).get("submission") or grade.audit.submission_id)


def is_past(submission: Submission, grade: Grade | None) -> bool:
    """Return True if a later attempt was released, so that this one counts only if pinned."""
    if grade is None or grade.released is None or grade.audit.submission_id == submission.pk:
        return False
    return submission.attempt < int(grade.released["attempt"])


def is_withheld(submission: Submission, grade: Grade | None) -> bool:
    """Return True if the student sees only that a verdict exists."""
    if released_verdict_of(submission, grade) is not None:
        return False
    return submission.assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def _current_audit(submission: UUID) -> QuerySet[Audit, Audit]:
    own = _reported().filter(submission=submission).select_related("rubric_version")
    return own.order_by(_VERDICTS_FIRST, "-created_at", "pk")[:1]


CURRENT_AUDIT = OrganizationQuery(_current_audit, submission=UUID)


def current_audit(submission: Submission) -> Audit | None:
    """Return the current audit of a submission, without its report: the newest with a verdict.

    A waiting or failed re-audit hides no verdict, and peers' audits never count.
    """
    return CURRENT_AUDIT.row(submission=submission.pk)


def current_audits_of(grade: Grade) -> list[Audit]:
    """Return the current audits of the student's attempts, the latest attempt first."""
    counted = Submission.objects.filter(
        counts_for(grade.student_id), assignment=grade.assignment_id
    )
    theirs = _reported().filter(submission__in=counted)
    # DISTINCT ON keeps the first row of each attempt, as in current_audit. Somebody who changed
    # teams has attempts of both: of equal numbers the later one goes first.
    newest = theirs.order_by(
        "-submission__handed_in_at", "submission_id", _VERDICTS_FIRST, "-created_at", "pk"
    )
    return list(newest.distinct("submission__handed_in_at", "submission_id"))


def verdicts_of(audit: Audit) -> QuerySet[CriterionVerdict]:
    """Return the verdicts of the criteria, in the rubric's order."""
    return CriterionVerdict.objects.filter(audit=audit).order_by("position")


def _current_report(
    audit: Audit, grade: Grade | None, *, provisional: bool
) -> VisibleReport | None:
    document = document_of(audit)
    return VisibleReport(document, grade, None, provisional) if document is not None else None


def _released_document(released: ReleasedVerdict) -> dict[str, Any]:
    """Return the report that a release rests on: still its audit's, or superseded since."""
    audits = Audit.objects.filter(pk=released.audit, report_digest=released.digest)
    document: dict[str, Any] | None = audits.values_list("report", flat=True).first()
    if document is None:
        # The audit's report was replaced after the release; the released one was kept.
        superseded = SupersededReport.objects.filter(
            audit=UUID(released.audit), digest=released.digest
        )
        document = superseded.values_list("report", flat=True).get()
    return document


def _reported() -> QuerySet[Audit]:
    own = Audit.objects.filter(state__in=REPORTED_STATES).exclude(kind=AuditKind.PEER)
    return own.defer("report")


Scores = dict[str, int | None]


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """Last score by criterion and judge; None where a judge never answered."""

    scores: dict[str, Scores] = field(default_factory=dict)

    @property
    def failed_judges(self) -> int:
        """Number of criteria and judges without an answer."""
        return sum(score is None for judges in self.scores.values() for score in judges.values())

    @property
    def widest_spread(self) -> int:
        return max(map(spread_of, self.scores.values()), default=0)


def spread_of(scores: Scores) -> int:
    """Return the difference between the highest and the lowest score; 0 without scores."""
    given = [score for score in scores.values() if score is not None]
    return max(given) - min(given) if given else 0


def judge_scores_of(audits: Iterable[UUID]) -> dict[UUID, JudgeScores]:
    """Return the last scores by audit, at one query; a failed later round changes nothing.

    Round 0 is the hearing on outcomes alone, which decides nothing.
    """
    scores: defaultdict[UUID, defaultdict[str, Scores]] = defaultdict(lambda: defaultdict(dict))
    rows = OpinionRecord.objects.filter(audit__in=audits, round__gt=0).order_by("round", "pk")
    columns = rows.values_list("audit_id", "criterion_id", "judge", "score")

    for audit, criterion, judge, score in columns:
        if score is not None or judge not in scores[audit][criterion]:
            scores[audit][criterion][judge] = score
    return {audit: JudgeScores(dict(criteria)) for audit, criteria in scores.items()}


@dataclass(frozen=True, slots=True)
class Usage:
    """Sums of model usage; `cost_usd` is the priced part, `unpriced` the number of answers without
    a known price, `today_usd` the cost since midnight in UTC.
    """

    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: Decimal
    today_usd: Decimal
    unpriced: int

    def __str__(self) -> str:
        unpriced = f"; answers without a known price: {self.unpriced}" if self.unpriced else ""
        tokens = (
            f"{self.prompt_tokens} tokens in ({self.cached_tokens} cached), "
            f"{self.completion_tokens} out"
        )
        return f"{self.calls} calls, {tokens}, {self.cost_usd:.4f} USD{unpriced}"


def usage_of_audit(audit: Audit) -> Usage:
    return _sum(ModelUsage.objects.filter(audit=audit))


def usage_of_cohort(cohort: Cohort) -> Usage:
    return _sum(ModelUsage.objects.filter(audit__submission__assignment__cohort=cohort))


def usage_of_assignment(assignment: Assignment) -> Usage:
    return _sum(ModelUsage.objects.filter(audit__submission__assignment=assignment))


def usage_of_run(run: BulkRun) -> Usage:
    """Return the usage of a bulk run so far."""
    return _sum(ModelUsage.objects.filter(audit__bulk_run=run))


def usage_of_organization(
    organization: Organization | int, *, since: datetime | None = None
) -> Usage:
    """Return the usage, all of it or from `since` on."""
    rows = ModelUsage.objects.filter(organization=organization)
    return _sum(rows.filter(created_at__gte=since) if since else rows)


def start_of_today() -> datetime:
    """Return the last midnight in UTC, in which budgets are counted."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def start_of_month() -> datetime:
    """Return the start of this calendar month, the period of budgets."""
    return start_of_today().replace(day=1)


def _sum(rows: QuerySet[ModelUsage]) -> Usage:
    # `cost_usd` must come last: after it, the name means the sum and no longer the column.
    sums = rows.aggregate(
        calls=Sum("calls", default=0),
        prompt_tokens=Sum("prompt_tokens", default=0),
        cached_tokens=Sum("cached_tokens", default=0),
        completion_tokens=Sum("completion_tokens", default=0),
        unpriced=Count("pk", filter=Q(cost_usd=None)),
        today_usd=Sum("cost_usd", filter=Q(created_at__gte=start_of_today()), default=Decimal(0)),
        cost_usd=Sum("cost_usd", default=Decimal(0)),
    )
    return Usage(**sums)
