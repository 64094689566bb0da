"""What pages ask about audits."""

from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet

from grading.models import Audit, CriterionVerdict


def report_of(audit: Audit) -> dict[str, Any] | None:
    """The report JSON (automaton-auditor/report@1), read from the database only now; None without one."""
    return Audit.objects.values_list("report", flat=True).get(pk=audit.pk) if audit.has_report else None


def verdicts_of(audit: Audit) -> QuerySet[CriterionVerdict]:
    """The criteria's results, in the rubric's order."""
    return CriterionVerdict.objects.filter(audit=audit).order_by("position")


def latest_audits_of(user: User, *, limit: int = 10) -> list[Audit]:
    """The user's own newest audits in the organizations whose scope is entered, reports left out."""
    audits = Audit.objects.filter(submission__student__user=user).defer("report")
    related = audits.select_related("organization", "submission__assignment__cohort")
    return list(related.order_by("-created_at")[:limit])
