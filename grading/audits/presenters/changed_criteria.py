"""Criteria of a report that changed since the attempt before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grading.findings.queries.visible_findings import Changes
from grading.models import Submission
from grading.report_pages.criterion import CriterionView
from grading.submissions.queries import Attempt, criteria_before


def changed_criteria(
    submission: Submission,
    criteria: Iterable[CriterionView],
    changes: Changes | None,
    attempts: Sequence[Attempt],
) -> frozenset[str] | None:
    """Return the ids of those with another score, or with new, fixed or regressed findings.

    `attempts` are the student's as the reader may see them; None without a verdict before.
    """
    before = criteria_before(submission, attempts)
    if before is None:
        return None

    scores = {key: (cell.score, cell.excluded) for key, (_, cell) in before.items()}
    other_scores = {
        row.record.id
        for row in criteria
        if scores.get(row.record.id) != (row.score, row.counts.excluded)
    }
    findings = (*changes.new, *changes.fixed, *changes.back) if changes else ()
    return frozenset(other_scores | {row.finding.criterion_id for row in findings})
