"""Choice of the audit whose verdict is a student's grade."""

from __future__ import annotations

from collections.abc import Sequence

from grading.audits.queries import current_audits_of
from grading.core.enums import JUDGED_STATES, CountingPolicy
from grading.grades.queries.final_scores import GradeResult, audit_results
from grading.models import Audit, Grade


def counting_audit(grade: Grade) -> Audit | None:
    """Return the audit that counts: of the pinned attempt, else by the assignment's policy.

    A pinned or chosen attempt counts with its current audit. None before the first report.
    """
    audits = current_audits_of(grade)
    by_attempt = {audit.submission_id: audit for audit in audits}
    if grade.pinned:
        return by_attempt.get(grade.audit.submission_id)

    policy = grade.assignment.counting_policy
    if policy == CountingPolicy.CHOSEN and grade.chosen_id in by_attempt:
        return by_attempt[grade.chosen_id]

    # A degraded report holds no verdict: it counts only where there is none.
    verdicts = [audit for audit in audits if audit.state in JUDGED_STATES] or audits
    if policy == CountingPolicy.BEST:
        return _best(verdicts)
    return next(iter(verdicts), None)


def _best(audits: Sequence[Audit]) -> Audit | None:
    """Return the audit with the best score; of equal ones the first."""
    if len(audits) < 2:
        return next(iter(audits), None)
    results = audit_results([audit.pk for audit in audits])
    return max(audits, key=lambda audit: _rank(results[audit.pk]))


def _rank(result: GradeResult) -> tuple[bool, float]:
    """Return a sort key; an attempt that needs review has no score and ranks below all others."""
    marks = result.marks
    if marks.overall_score is None:
        return (False, 0.0)
    # A share, because attempts may differ in the points possible.
    if marks.points_possible:
        return (True, (marks.points_earned or 0.0) / marks.points_possible)
    return (True, marks.overall_score / 5)
