"""Where each criterion stood in each attempt of a student, as a reader may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from grading.queries.audits.attempts import Attempt
from grading.queries.results.grade_statistics import Cell, cells_of

Criteria = Mapping[str, tuple[str, Cell]]


@dataclass(frozen=True, slots=True)
class CriterionOver:
    """A criterion's name, and each attempt with its cell; null where it was not judged, or nothing may be seen."""

    name: str
    cells: tuple[tuple[Attempt, Cell | None], ...]


def criteria_over(attempts: Sequence[Attempt]) -> tuple[CriterionOver, ...]:
    """One student's attempts as their reader may see them (queries/peers/loop.py), in their order. Two queries.

    What was released is as it was told; of what is withheld nothing; else the verdict, with scores by hand.
    """
    unreleased = [each for each in attempts if each.told not in {"released", "withheld"}]
    audits = {
        each.audit.pk: each.submission.pk for each in unreleased if each.audit and each.audit.has_report
    }
    judged = cells_of(audits)
    seen = [_seen(each, judged) for each in attempts]
    names = {key: name for criteria in seen for key, (name, _) in criteria.items()}
    return tuple(CriterionOver(name, _cells(key, attempts, seen)) for key, name in names.items())


def _cells(
    key: str, attempts: Sequence[Attempt], seen: Sequence[Criteria]
) -> tuple[tuple[Attempt, Cell | None], ...]:
    return tuple(
        (attempt, criteria[key][1] if key in criteria else None)
        for attempt, criteria in zip(attempts, seen, strict=True)
    )


def _seen(attempt: Attempt, judged: Mapping[UUID, Criteria]) -> Criteria:
    if attempt.released is not None:
        return _told(attempt.released["criteria"])
    return judged.get(attempt.audit.pk, {}) if attempt.audit else {}


def _told(rows: Sequence[Mapping[str, Any]]) -> Criteria:
    """`rows` as Grade.released has them (actions/results/marking.told), in the report's order."""
    return {
        row["id"]: (
            row["name"],
            Cell(place, row["score"], row["override_reason"] is not None, row["excluded"]),
        )
        for place, row in enumerate(rows)
    }
