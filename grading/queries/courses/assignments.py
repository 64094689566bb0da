"""What stands at an assignment already, and so cannot be undone by changing what was asked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Min, Q

from grading.models import Assignment, Grade, Submission


@dataclass(frozen=True, slots=True)
class Footprint:
    """`first` and `last_in_time` are when work was handed in, null without any; `most_used` is the most attempts
    that any student has used up."""

    handed_in: int
    first: datetime | None
    last_in_time: datetime | None
    most_used: int
    released: int


def footprint_of(assignment: Assignment) -> Footprint:
    """Three queries."""
    work = Submission.objects.filter(assignment=assignment)
    seen = work.aggregate(
        handed_in=Count("pk"),
        first=Min("handed_in_at"),
        last_in_time=Max("handed_in_at", filter=Q(late=False)),
    )
    used = work.filter(counts=True).order_by().values("student").annotate(number=Count("pk"))
    return Footprint(
        **seen,
        most_used=max((row["number"] for row in used), default=0),
        released=Grade.objects.filter(assignment=assignment, released_at__isnull=False).count(),
    )
