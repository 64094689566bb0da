"""Released grade with another score on one criterion, and what else changed since its release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grading.engine import audits as engine_audits
from grading.engine.events import CriterionRow
from grading.grades.queries.final_scores import adjusted_marks, comparable_row, points_of
from grading.models import Audit, SupersededReport

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CriterionChange:
    """Criterion that differs from the release, in the shape of a released value; null for none."""

    name: str
    released: Json | None
    now: Json | None


@dataclass(frozen=True, slots=True)
class ReleaseDifference:
    """Difference between a released value and the one that a release would store now."""

    released: Json
    now: Json
    criteria: tuple[CriterionChange, ...]

    @property
    def is_of_another_attempt(self) -> bool:
        return bool(self.released["submission"] != self.now["submission"])

    @property
    def is_under_another_rubric(self) -> bool:
        return bool(self.released["rubric_version"] != self.now["rubric_version"])

    def __bool__(self) -> bool:
        return bool(self.criteria) or self.is_of_another_attempt or self.is_under_another_rubric


def released_row(released: Json, criterion_id: str) -> Json | None:
    rows: list[Json] = released["criteria"]
    return next((row for row in rows if row["id"] == criterion_id), None)


def marks_with(
    released: Json, criterion_id: str, scores: Sequence[int]
) -> list[engine_audits.Marks]:
    """Return the released result with each of these scores on one criterion, and no other change.

    It follows the rubric that the release was judged by. Empty where that or the criterion is gone.
    """
    document = _rubric_of(released)
    if document is None or criterion_id not in {row["id"] for row in document["criteria"]}:
        return []
    if released_row(released, criterion_id) is None:
        return []
    rows = [_criterion_row(row) for row in released["criteria"]]
    return engine_audits.marks_under(document, [(rows, {criterion_id: score}) for score in scores])


def value_with(
    released: Json, marks: engine_audits.Marks, criterion_id: str, *, reason: str
) -> Json:
    """Return the released value with one criterion from `marks`, and the sums that follow."""
    scored = next(row for row in marks.criteria if row.criterion_id == criterion_id)
    changes = {
        "score": scored.score,
        "level": scored.level,
        "points": scored.points,
        "max_points": scored.max_points,
        "needs_review": scored.needs_review,
        "excluded": scored.excluded,
        "override_reason": reason,
    }
    criteria = [
        # Releases of an older make have no verdict beside the score.
        {"verdict_score": row["score"]} | row | changes if row["id"] == criterion_id else row
        for row in released["criteria"]
    ]
    if adjustment := released.get("adjustment"):
        adjustment = adjustment | {"before": marks.overall_score}
        released = released | {"adjustment": adjustment}
        marks = adjusted_marks(marks, adjustment["delta"])
    sums = {"overall_score": marks.overall_score, "points": points_of(marks)}
    return released | sums | {"criteria": criteria}


def difference_of(released: Json, now: Json, *, but: str) -> ReleaseDifference:
    """Return what differs, `but` for the criterion of this id: in the order of the release."""
    after = {row["id"]: row for row in now["criteria"]}
    before = {row["id"]: row for row in released["criteria"]}
    changes = tuple(
        CriterionChange((after.get(key) or before[key])["name"], before.get(key), after.get(key))
        for key in before | after
        if key != but and comparable_row(before.get(key, {})) != comparable_row(after.get(key, {}))
    )
    return ReleaseDifference(released, now, changes)


def _rubric_of(released: Json) -> Json | None:
    """Return the rubric of the report behind a release: the audit's, or a superseded one's."""
    audits = Audit.objects.filter(pk=released["audit"], report_digest=released["digest"])
    superseded = SupersededReport.objects.filter(audit=released["audit"], digest=released["digest"])
    for rows in (audits, superseded):
        document: Json | None = rows.values_list("rubric_version__document", flat=True).first()
        if document is not None:
            return document
    return None


def _criterion_row(row: Json) -> CriterionRow:
    return CriterionRow(
        criterion_id=row["id"],
        name=row["name"],
        score=row["score"],
        level=row["level"],
        points=row["points"],
        max_points=row["max_points"],
        needs_review=row["needs_review"],
        excluded=row["excluded"],
    )
