"""Results of earlier audits of a student's work that an audit can reuse."""

from typing import Any

from django.db.models import Q, QuerySet

from grading.core.enums import Renewal
from grading.engine.report import without_opinions
from grading.models import Audit, OpinionRecord


def known_opinions(audit: Audit) -> QuerySet[OpinionRecord]:
    """Return the opinions at this assignment that are not to be renewed.

    Opinions that this audit itself got before its worker died are always reused.
    """
    # A failure to answer has no score: that judge is called again.
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


def known_screenings(audit: Audit) -> list[dict[str, Any]]:
    """Return the screenings that can be reused; this audit's own always, as opinions are."""
    theirs = Audit.objects.exclude(screening=None).filter(
        submission__assignment=audit.submission.assignment_id,
        submission__student=audit.submission.student_id,
    )
    if audit.renewal != Renewal.MISSING:
        theirs = theirs.filter(pk=audit.pk)
    rows = theirs.order_by("created_at").values_list("screening", flat=True)
    return [row for row in rows if row is not None]


def known_report(audit: Audit) -> dict[str, Any] | None:
    """Return the student's latest report; for re-judging the work's own, without renewed opinions."""
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
