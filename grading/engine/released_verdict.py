"""Typed value of Grade.released: what a student was told when their grade was released.

`grades.queries.final_scores.told` writes the JSON; it is stored with the grade and never changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import model_validator

from grading.engine.report import Criterion, Points
from grading.engine.report_facts import ReportRecord

Json = Mapping[str, Any]


class ReleasedCriterion(ReportRecord):
    """One criterion as it counts; with an `override_reason` its score is a person's.

    `verdict_score` is the court's own.
    """

    id: str
    name: str = ""
    score: int | None = None
    verdict_score: int | None = None
    level: str | None = None
    points: float | None = None
    max_points: float | None = None
    needs_review: bool = False
    excluded: bool = False
    override_reason: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _verdict_counts_unless_overridden(cls, row: Any) -> Any:
        # Releases of an older make do not say what the verdict was beside the score.
        if isinstance(row, dict) and "verdict_score" not in row:
            return {**row, "verdict_score": row.get("score")}
        return row


class Adjustment(ReportRecord):
    """Change of this student's own result; `before` is the overall score without it."""

    delta: float
    reason: str
    before: float | None = None


class EarlierResult(ReportRecord):
    """Result that a release took the place of; `scores` by criterion, `at` when it was released."""

    attempt: int | None = None
    overall_score: float | None = None
    scores: dict[str, int | None] = {}
    at: datetime | None = None


class ReleasedVerdict(ReportRecord):
    """Result as a student was told it; `audit` and `submission` are keys as text.

    `digest` names the report: the audit's, or one superseded since. `before` is the result that it
    changed. `earlier` are releases of other attempts, each with the time `at` which it was told.
    """

    audit: str = ""
    submission: str = ""
    attempt: int | None = None
    digest: str = ""
    rubric_version: str = ""
    overall_score: float | None = None
    points: Points | None = None
    adjustment: Adjustment | None = None
    note: str = ""
    criteria: tuple[ReleasedCriterion, ...] = ()
    before: EarlierResult | None = None
    earlier: tuple[ReleasedVerdict, ...] = ()
    at: datetime | None = None

    def about(self, submission: str) -> ReleasedVerdict | None:
        """Return the release of this submission: this one, or one before it."""
        releases = (self, *self.earlier)
        return next((row for row in releases if row.submission == submission), None)


def parse_released(value: Json | None) -> ReleasedVerdict | None:
    """Parse the value of Grade.released; None where nothing is released."""
    return ReleasedVerdict.model_validate(value) if value else None


def verdict_as_it_counts(criterion: Criterion) -> ReleasedCriterion:
    """Return what counts where nobody has changed anything: the verdict of the report."""
    return ReleasedCriterion(
        id=criterion.id,
        name=criterion.name,
        score=criterion.final_score,
        verdict_score=criterion.final_score,
        level=criterion.level,
        points=criterion.points,
        max_points=criterion.max_points,
        needs_review=criterion.needs_review,
        excluded=criterion.excluded,
    )
