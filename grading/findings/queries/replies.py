"""Replies of students to findings: whether they helped, and which were dismissed."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, OuterRef, Q, Subquery

from grading.core.enums import (
    ResponseKind,
)
from grading.models import (
    Assignment,
    FeedbackReport,
    Finding,
    FindingHelp,
    FindingResponse,
    FindingSighting,
)


@dataclass(frozen=True, slots=True)
class CriterionHelpfulness:
    """Numbers of findings of one criterion that helped, out of those with a reply."""

    criterion: str
    helped: int
    replies: int


def helped_by_criterion(assignment: Assignment) -> list[CriterionHelpfulness]:
    """Return the criteria, least helpful first, without any student's name. One query."""
    replies = FindingHelp.objects.filter(finding__assignment=assignment).order_by()
    rows = replies.values_list("finding__criterion_name", "finding__criterion_id").annotate(
        helped=Count("pk", filter=Q(helpful=True)), replies=Count("pk")
    )
    criteria = [
        CriterionHelpfulness(name or key or "no criterion", helped, replies)
        for name, key, helped, replies in rows
    ]

    # A group has at least one reply: there is no division by zero.
    return sorted(criteria, key=lambda row: (row.helped / row.replies, row.criterion))


def helpfulness_of(finding: Finding) -> bool | None:
    """Return whether it helped; None until its owner replies."""
    return FindingHelp.objects.filter(finding=finding).values_list("helpful", flat=True).first()


def dismissals_of(report: FeedbackReport) -> list[tuple[str, str]]:
    """Return the dismissed findings of this uploaded report as (text, reason). One query."""
    dismissal = FindingResponse.objects.filter(
        finding=OuterRef("finding"), kind=ResponseKind.DISMISSED, replaced_at=None
    )
    rows = FindingSighting.objects.filter(report=report).annotate(
        reason=Subquery(dismissal.values("reason"))
    )
    return list(rows.exclude(reason=None).values_list("text", "reason"))
