"""Release status of a report: if it counts for its student, and what was released."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from grading.audits.queries import VisibleReport, current_audit
from grading.engine.released_verdict import ReleasedVerdict, parse_released
from grading.models import Audit, Grade


@dataclass(frozen=True, slots=True)
class Change:
    """One score before and after a release; None where there was none."""

    name: str
    before: float | None
    after: float | None


@dataclass(frozen=True, slots=True)
class ReleaseStatus:
    """State of a report's release.

    `counts` is true if this attempt counts; `later` is the audit of the same attempt that replaced
    this one. `changes` and `changed_from` are for a student with an earlier release. `released_at`
    is the time of the visible release, `newer_attempt` the attempt that was released after it.
    """

    grade: Grade | None
    counts: bool
    later: Audit | None
    is_released: bool
    released_at: datetime | None
    newer_attempt: int | None
    note: str
    changes: tuple[Change, ...]
    changed_from: datetime | None


def release_status_of(audit: Audit, visible: VisibleReport) -> ReleaseStatus:
    """Return the status for the page of this `visible` report, at one query."""
    submission, grade = audit.submission, visible.grade
    current = current_audit(submission)
    latest = parse_released(grade.released) if grade else None
    released = visible.released
    # The student's latest release may be of another attempt than this page's.
    is_released = latest is not None and latest.submission == str(submission.pk)

    return ReleaseStatus(
        grade=grade,
        counts=grade is not None and grade.audit.submission_id == submission.pk,
        later=current if current is not None and current.pk != audit.pk else None,
        is_released=is_released,
        released_at=(released.at or grade.released_at) if released and grade else None,
        newer_attempt=None if is_released or latest is None else latest.attempt,
        note=released.note if released else "",
        changes=changes_of(released) if released else (),
        changed_from=released.before.at if released and released.before else None,
    )


def changes_of(released: ReleasedVerdict) -> tuple[Change, ...]:
    """Return the overall score and the changed criteria, for a student with an earlier result."""
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
