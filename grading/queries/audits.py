"""What pages ask about audits, and which of several stands."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Case, IntegerField, QuerySet, Value, When

from grading.enums import REPORTED_STATES, AuditKind, AuditState
from grading.models import Audit, CriterionVerdict, Submission

# A degraded report holds no verdict: it stands only where there is none.
_VERDICTS_FIRST = Case(
    When(state=AuditState.DEGRADED, then=Value(1)), default=Value(0), output_field=IntegerField()
)


def report_of(audit: Audit) -> dict[str, Any] | None:
    """The report JSON (automaton-auditor/report@1), read from the database only now; None without one."""
    return Audit.objects.values_list("report", flat=True).get(pk=audit.pk) if audit.has_report else None


def standing_audit(submission: Submission) -> Audit | None:
    """The audit that stands for a submission: its newest with a verdict, so that no re-audit that waits or failed
    hides one. Peers' audits never stand; the report is left out."""
    return _reported().filter(submission=submission).order_by(_VERDICTS_FIRST, "-created_at", "pk").first()


def counting_audit(*, assignment_id: int, student_id: int) -> Audit | None:
    """The audit that stands for the student's latest attempt with a verdict; None before the first."""
    theirs = _reported().filter(submission__assignment=assignment_id, submission__student=student_id)
    return theirs.order_by(_VERDICTS_FIRST, "-submission__attempt", "-created_at", "pk").first()


def verdicts_of(audit: Audit) -> QuerySet[CriterionVerdict]:
    """The criteria's results, in the rubric's order."""
    return CriterionVerdict.objects.filter(audit=audit).order_by("position")


def latest_audits_of(user: User, *, limit: int = 10) -> list[Audit]:
    """The user's own newest audits in the organizations whose scope is entered, reports left out."""
    audits = Audit.objects.filter(submission__student__user=user).defer("report")
    related = audits.select_related("organization", "submission__assignment__cohort")
    return list(related.order_by("-created_at")[:limit])


def _reported() -> QuerySet[Audit]:
    own = Audit.objects.filter(state__in=REPORTED_STATES).exclude(kind=AuditKind.PEER)
    return own.defer("report")
