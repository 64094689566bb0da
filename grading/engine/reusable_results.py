"""What an audit need not work out or buy anew: what earlier audits of the same student's work have brought."""

from typing import Any

from django.db.models import Q, QuerySet

from grading.core.enums import Renewal
from grading.engine.report import without_opinions
from grading.models import Audit, OpinionRecord


def known_opinions(audit: Audit) -> QuerySet[OpinionRecord]:
    """Every answer at this assignment but what is to be renewed; what this very audit has bought before its worker
    died is known in any case."""
    given = OpinionRecord.objects.filter(
        audit__submission__assignment=audit.submission.assignment_id,
        audit__submission__student=audit.submission.student_id,
        score__isnull=False,
    ).order_by("pk")
    if audit.renewal == Renewal.MISSING:
        return given
    kept = Q(audit=audit)
    if audit.renewal == Renewal.OPINIONS and audit.criteria:
        kept |= ~Q(criterion_id__in=audit.criteria)
    return given.filter(kept)


def known_report(audit: Audit) -> dict[str, Any] | None:
    """The student's latest report; to judge a work again, that work's own, without the opinions to be renewed."""
    submission = audit.submission
    earlier = Audit.objects.exclude(report=None).order_by("-finished_at")
    match Renewal(audit.renewal):
        case Renewal.EVERYTHING:
            return None
        case Renewal.OPINIONS:
            report = earlier.filter(submission=submission).values_list("report", flat=True).first()
            return report and without_opinions(report, audit.criteria)
        case Renewal.MISSING:
            theirs = earlier.filter(
                submission__assignment=submission.assignment_id,
                submission__student=submission.student_id,
            )
            return theirs.values_list("report", flat=True).first()
