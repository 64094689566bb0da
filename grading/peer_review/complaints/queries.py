"""Queries for complaints about peer reports."""

from __future__ import annotations

from django.db.models import Case, IntegerField, QuerySet, Value, When

from grading.core.enums import ComplaintState
from grading.models import Cohort, Complaint, FeedbackReport, Organization

_OPEN_FIRST = Case(
    When(state=ComplaintState.OPEN, then=Value(0)), default=Value(1), output_field=IntegerField()
)


def complaints_in(organization: Organization) -> QuerySet[Complaint]:
    """Return open complaints first, then the others, oldest first."""
    rows = Complaint.objects.filter(organization=organization)
    related = rows.select_related("student", "report__assignment__cohort", "decided_by")
    return related.defer("report__original", "report__reading").order_by(
        _OPEN_FIRST, "made_at", "pk"
    )


def open_complaints(cohort: Cohort) -> int:
    """Count the open complaints of a cohort."""
    rows = Complaint.objects.filter(report__assignment__cohort=cohort)
    return rows.filter(state=ComplaintState.OPEN).count()


def complaints_on(report: FeedbackReport) -> QuerySet[Complaint]:
    """Return the complaints of its subject, newest first."""
    return Complaint.objects.filter(report=report, student=report.subject_id).order_by(
        "-made_at", "-pk"
    )
