"""What the last look into a student's repository brought (actions/peers/repository_reports.py), from the log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from grading.models import Activity, Submission


@dataclass(frozen=True, slots=True)
class Search:
    """`unread` are {path, why}; `taken` counts the reports that were brought along."""

    at: datetime
    attempt: int
    taken: int
    unread: tuple[Mapping[str, str], ...]


def latest_searches(handed_in: Iterable[Submission]) -> dict[int, Search]:
    """By assignment, the newest of those that followed one of these hand-ins."""
    theirs = {str(each.pk): each for each in handed_in}
    told = Activity.objects.filter(
        verb="feedback.searched", object_type="submission", object_id__in=list(theirs)
    )
    found: dict[int, Search] = {}
    for row in told.order_by("at"):
        submission = theirs[row.object_id]
        found[submission.assignment_id] = Search(
            row.at, submission.attempt, row.detail["taken"], tuple(row.detail["unread"])
        )
    return found
