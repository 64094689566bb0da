"""Verdicts from before grades were kept: they count as the others do."""

from django.db.models import Exists, OuterRef
from django_scopes import scope

from grading.core.enums import REPORTED_STATES, AuditKind
from grading.grades.actions import count_verdict
from grading.models import Audit, Grade, Organization


def count_earlier_verdicts() -> int:
    """How many students at an assignment had a verdict that no grade followed. Safe to run again, by several at once."""
    counted = 0
    for organization in Organization.objects.all():
        with scope(organization=organization):
            for audit in _uncounted():
                count_verdict(audit=audit)
                counted += 1
    return counted


def _uncounted() -> list[Audit]:
    """One audit for each student and assignment: which of several counts is found out by counting."""
    grades = Grade.objects.filter(
        assignment=OuterRef("submission__assignment"), student=OuterRef("submission__student")
    )
    reported = Audit.objects.filter(~Exists(grades), state__in=REPORTED_STATES).exclude(
        kind=AuditKind.PEER
    )
    once = reported.order_by("submission__assignment_id", "submission__student_id")
    return list(
        once.distinct("submission__assignment_id", "submission__student_id")
        .select_related("submission")
        .defer("report")
    )
