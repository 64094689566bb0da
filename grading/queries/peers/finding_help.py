"""Which findings helped, as their owners say."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from grading.models import Assignment, Finding, FindingHelp


@dataclass(frozen=True, slots=True)
class Helped:
    """Of the findings under one criterion that somebody spoke about, how many helped."""

    criterion: str
    helped: int
    said: int


def helped_by_criterion(assignment: Assignment) -> list[Helped]:
    """What helped least first, nobody named. One query."""
    said = FindingHelp.objects.filter(finding__assignment=assignment).order_by()
    rows = said.values_list("finding__criterion_name", "finding__criterion_id").annotate(
        helped=Count("pk", filter=Q(helpful=True)), said=Count("pk")
    )
    found = [Helped(name or key or "no criterion named", helped, many) for name, key, helped, many in rows]
    return sorted(found, key=lambda each: (each.helped / each.said, each.criterion))


def said_of(finding: Finding) -> bool | None:
    """Whether it helped, null while its owner has said nothing."""
    return FindingHelp.objects.filter(finding=finding).values_list("helpful", flat=True).first()
