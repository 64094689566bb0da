"""What pages ask about audits: which of several stands, and what of it a reader may see."""

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

from grading.core.enums import REPORTED_STATES, AuditKind, AuditState, ReleasePolicy
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
    """A report as one reader may see it; `document` is its JSON as stored, for what is served as it is.

    `released` is what the student was told, where this is what they were told. Otherwise scores that
    people gave count beside the report's own (grades/queries/final_scores.py), and `provisional` says that
    they may still change. `grade` is the student's, null before any verdict.
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
    """What this reader sees at this audit; None where there is nothing, or nothing yet that they may see.

    Staff see the audit's report as it is now. A student sees of a submission that they were told about the edition
    that was released, whichever of its audits they ask for; everything else by the assignment's policy.
    """
    submission, grade = audit.submission, grade_of(audit.submission)
    if is_staff:
        return _edition(audit, grade, provisional=grade is None or grade.released is None)
    told = released_verdict_of(submission, grade)
    if told is not None and audit.kind != AuditKind.PEER:
        return VisibleReport(_released_document(told), grade, told, provisional=False)
    if is_withheld(submission, grade):
        return None
    return _edition(audit, grade, provisional=not is_past(submission, grade))


def grade_of(submission: Submission) -> Grade | None:
    """The grade of the student who handed it in, whether or not this attempt counts."""
    theirs = Grade.objects.filter(
        assignment=submission.assignment_id, student=submission.student_id
    )
    related = theirs.select_related("released_by", "audit__submission")
    return related.defer("audit__report").first()


def grades_of(submissions: Iterable[Submission]) -> dict[GradeKey, Grade]:
    """By assignment and student, those of whoever handed these in, with the audits that count. One query."""
    listed = list(submissions)
    grades = Grade.objects.filter(
        assignment__in={each.assignment_id for each in listed},
        student__in={each.student_id for each in listed},
    )
    found = grades.select_related("audit").defer("audit__report")
    return {(grade.assignment_id, grade.student_id): grade for grade in found}


def released_verdict_of(submission: Submission, grade: Grade | None) -> ReleasedVerdict | None:
    """Return what the student was told about this submission: by the release that stands, or before.

    None where it was never released.
    """
    released = parse_released(grade.released) if grade else None
    return released.about(str(submission.pk)) if released else None


def is_past(submission: Submission, grade: Grade | None) -> bool:
    """Whether a later attempt was released, so that this one only counts if somebody goes back to it."""
    if grade is None or grade.released is None or grade.audit.submission_id == submission.pk:
        return False
    return submission.attempt < int(grade.released["attempt"])


def is_withheld(submission: Submission, grade: Grade | None) -> bool:
    """Whether the student sees nothing of the verdict on this submission but that there is one."""
    if released_verdict_of(submission, grade) is not None:
        return False
    return submission.assignment.release_policy == ReleasePolicy.AFTER_RELEASE


def current_audit(submission: Submission) -> Audit | None:
    """The audit that stands for a submission: its newest with a verdict, so that no re-audit that waits or failed
    hides one. Peers' audits never stand; the report is left out."""
    own = _reported().filter(submission=submission).select_related("rubric_version")
    return own.order_by(_VERDICTS_FIRST, "-created_at", "pk").first()


def counting_audit(*, assignment_id: int, student_id: int) -> Audit | None:
    """The audit that stands for the student's latest attempt with a verdict; None before the first."""
    theirs = _reported().filter(
        submission__assignment=assignment_id, submission__student=student_id
    )
    return theirs.order_by(_VERDICTS_FIRST, "-submission__attempt", "-created_at", "pk").first()


def verdicts_of(audit: Audit) -> QuerySet[CriterionVerdict]:
    """The criteria's results, in the rubric's order."""
    return CriterionVerdict.objects.filter(audit=audit).order_by("position")


def _edition(audit: Audit, grade: Grade | None, *, provisional: bool) -> VisibleReport | None:
    document = document_of(audit)
    return VisibleReport(document, grade, None, provisional) if document is not None else None


def _released_document(released: ReleasedVerdict) -> dict[str, Any]:
    """Return the report that a release rests on: still its audit's, or superseded since."""
    audits = Audit.objects.filter(pk=released.audit, report_digest=released.digest)
    document: dict[str, Any] | None = audits.values_list("report", flat=True).first()
    if document is None:
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
    """`scores`: by criterion and judge the last word, null where there was never an answer."""

    scores: dict[str, Scores] = field(default_factory=dict)

    @property
    def failed_judges(self) -> int:
        """How often a judge gave no answer on a criterion."""
        return sum(score is None for judges in self.scores.values() for score in judges.values())

    @property
    def widest_spread(self) -> int:
        return max(map(spread_of, self.scores.values()), default=0)


def spread_of(scores: Scores) -> int:
    """Between the highest and the lowest of those who answered."""
    given = [score for score in scores.values() if score is not None]
    return max(given) - min(given) if given else 0


def judge_scores_of(audits: Iterable[UUID]) -> dict[UUID, JudgeScores]:
    """By audit. A judge's last word is the last answer; no answer in a later round takes nothing back. One query."""
    heard: defaultdict[UUID, defaultdict[str, Scores]] = defaultdict(lambda: defaultdict(dict))
    rows = OpinionRecord.objects.filter(audit__in=audits).order_by("round", "pk")
    for audit, criterion, judge, score in rows.values_list(
        "audit_id", "criterion_id", "judge", "score"
    ):
        if score is not None or judge not in heard[audit][criterion]:
            heard[audit][criterion][judge] = score
    return {audit: JudgeScores(dict(criteria)) for audit, criteria in heard.items()}


@dataclass(frozen=True, slots=True)
class Usage:
    """`cost_usd` sums what has a price, `today_usd` what of it was bought since midnight in UTC; `unpriced` counts the
    answers whose cost is not known."""

    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: Decimal
    today_usd: Decimal
    unpriced: int

    def __str__(self) -> str:
        unpriced = f"; answers without a known price: {self.unpriced}" if self.unpriced else ""
        tokens = f"{self.prompt_tokens} tokens in ({self.cached_tokens} cached), {self.completion_tokens} out"
        return f"{self.calls} calls, {tokens}, {self.cost_usd:.4f} USD{unpriced}"


def usage_of_audit(audit: Audit) -> Usage:
    return _sum(ModelUsage.objects.filter(audit=audit))


def usage_of_cohort(cohort: Cohort) -> Usage:
    return _sum(ModelUsage.objects.filter(audit__submission__assignment__cohort=cohort))


def usage_of_assignment(assignment: Assignment) -> Usage:
    return _sum(ModelUsage.objects.filter(audit__submission__assignment=assignment))


def usage_of_run(run: BulkRun) -> Usage:
    """What a bulk run has bought so far."""
    return _sum(ModelUsage.objects.filter(audit__bulk_run=run))


def usage_of_organization(
    organization: Organization | int, *, since: datetime | None = None
) -> Usage:
    """All of it, or what was bought at `since` and later."""
    rows = ModelUsage.objects.filter(organization=organization)
    return _sum(rows.filter(created_at__gte=since) if since else rows)


def start_of_today() -> datetime:
    """In UTC, like every date of the site."""
    return timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)


def start_of_month() -> datetime:
    """When today's month began: budgets are for calendar months."""
    return start_of_today().replace(day=1)


def _sum(rows: QuerySet[ModelUsage]) -> Usage:
    sums = rows.aggregate(  # `cost_usd` last: after it the name means the sum, and no longer the column
        calls=Sum("calls", default=0),
        prompt_tokens=Sum("prompt_tokens", default=0),
        cached_tokens=Sum("cached_tokens", default=0),
        completion_tokens=Sum("completion_tokens", default=0),
        unpriced=Count("pk", filter=Q(cost_usd=None)),
        today_usd=Sum("cost_usd", filter=Q(created_at__gte=start_of_today()), default=Decimal(0)),
        cost_usd=Sum("cost_usd", default=Decimal(0)),
    )
    return Usage(**sums)
