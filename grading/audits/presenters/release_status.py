"""The standing of a report: if it counts for its student, and what they were told of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from grading.audits.queries import VisibleReport, current_audit
from grading.engine.released_verdict import ReleasedVerdict, parse_released
from grading.models import Audit, Grade


@dataclass(frozen=True, slots=True)
class Change:
    """One figure before and after a release that changed another; null where there was none."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class ReleaseStatus:
    """`counts`: this attempt is what counts. `later`: another audit of the same attempt replaced it.

    `changes` and `changed_from` are for a student who was told something else before. `told_at` is
    when they were told what `edition` holds, `since` the attempt that was released since, null where
    this one stands.
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


def release_status_of(audit: Audit, edition: VisibleReport) -> ReleaseStatus:
    """For the page of the report; `edition` is what its reader sees. One query."""
    submission, grade = audit.submission, edition.grade
    stands = current_audit(submission)
    now = parse_released(grade.released) if grade else None
    released = edition.released
    is_told = now is not None and now.submission == str(submission.pk)
    return ReleaseStatus(
        grade=grade,
        counts=grade is not None and grade.audit.submission_id == submission.pk,
        later=stands if stands is not None and stands.pk != audit.pk else None,
        is_told=is_told,
        told_at=(released.at or grade.released_at) if released and grade else None,
        since=None if is_told or now is None else now.attempt,
        note=released.note if released else "",
        changes=changes_of(released) if released else (),
        changed_from=released.before.at if released and released.before else None,
    )


def changes_of(released: ReleasedVerdict) -> tuple[Change, ...]:
    """Return the overall score and the criteria that changed, for a student with an earlier result."""
    before = released.before
    if before is None:
        return ()
    overall = Change("Overall", before.overall_score, released.overall_score)
    criteria = [
        Change(row.name, before.scores.get(row.id), row.score)
        for row in released.criteria
        if before.scores.get(row.id) != row.score
    ]
    return (overall, *criteria)
