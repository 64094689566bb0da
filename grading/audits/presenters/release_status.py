"""Whether a report counts for its student, and what they were told of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from grading.audits.queries import Edition, standing_audit
from grading.models import Audit, Grade

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and after a release that changed another; null where there was none."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class StandingView:
    """`counts`: this attempt is what counts. `later`: another audit of the same attempt stands in this one's place.

    `changes` and `changed_from` are what a student is told who was told something else before. `told_at` is when they
    were told what `edition` holds, `since` the attempt that was released since, null where this one stands.
    """

    grade: Grade | None
    counts: bool
    later: Audit | None
    is_told: bool
    told_at: datetime | None
    since: int | None
    note: str
    changes: tuple[Change, ...]
    changed_from: datetime | None


def standing_of(audit: Audit, edition: Edition) -> StandingView:
    """For the page of the report; `edition` is what its reader sees. One query."""
    submission, grade = audit.submission, edition.grade
    stands = standing_audit(submission)
    now = (grade.released if grade else None) or {}
    before = edition.released["before"] if edition.released else None
    is_told = now.get("submission") == str(submission.pk)
    return StandingView(
        grade=grade,
        counts=grade is not None and grade.audit.submission_id == submission.pk,
        later=stands if stands is not None and stands.pk != audit.pk else None,
        is_told=is_told,
        told_at=_moment(edition.released.get("at")) or grade.released_at
        if edition.released and grade
        else None,
        since=None if is_told else now.get("attempt"),
        note=edition.released["note"] if edition.released else "",
        changes=changes_of(edition.released) if edition.released else (),
        changed_from=_moment(before["at"]) if before else None,
    )


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def changes_of(released: Json) -> tuple[Change, ...]:
    """What a student who was told something before is told anew: the overall score, then the criteria that changed."""
    before = released["before"]
    if before is None:
        return ()
    overall = Change("Overall", before["overall_score"], released["overall_score"])
    criteria = [
        Change(row["name"], before["scores"].get(row["id"]), row["score"])
        for row in released["criteria"]
        if before["scores"].get(row["id"]) != row["score"]
    ]
    return (overall, *criteria)
