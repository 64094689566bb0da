"""A rubric as students read it, with the guidance for judges kept apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

JUDGES = {"prosecutor": "Prosecutor", "defense": "Defense", "tech_lead": "Tech Lead"}


@dataclass(frozen=True, slots=True)
class LevelText:
    """A level; `points` is None where the rubric gives none."""

    name: str
    points: float | None
    description: str


@dataclass(frozen=True, slots=True)
class CheckText:
    """A check by its goal; `share` is its percent of the weight of all checks of the criterion.

    Its parameters are left out: they would tell the words that are looked for.
    """

    goal: str
    weight: str
    share: float
    is_essential: bool


@dataclass(frozen=True, slots=True)
class CriterionText:
    """A criterion; `share` is its percent of the total, `points` None where it has none.

    `guidance` are pairs of a judge and the words to it, which students never see.
    """

    name: str
    instruction: str
    good: str
    poor: str
    points: float | None
    share: float
    levels: tuple[LevelText, ...]
    checks: tuple[CheckText, ...]
    guidance: tuple[tuple[str, str], ...]


def criteria_texts(document: Mapping[str, Any]) -> tuple[CriterionText, ...]:
    """Return the criteria in order; of an unfinished draft, the readable parts."""
    criteria = list(_objects(document.get("criteria")))
    weights = [_worth(criterion) for criterion in criteria]
    total = sum(weights) or 1.0

    return tuple(
        _criterion(criterion, 100 * weight / total)
        for criterion, weight in zip(criteria, weights, strict=True)
    )


def _criterion(criterion: Mapping[str, Any], share: float) -> CriterionText:
    logic = criterion.get("judicial_logic")
    guidance = logic if isinstance(logic, Mapping) else {}

    return CriterionText(
        name=_text(criterion, "name") or _text(criterion, "id"),
        instruction=_text(criterion, "instruction"),
        good=_text(criterion, "success_pattern"),
        poor=_text(criterion, "failure_pattern"),
        points=_number(criterion, "max_points"),
        share=share,
        levels=tuple(
            LevelText(_text(level, "name"), _number(level, "points"), _text(level, "description"))
            for level in _objects(criterion.get("levels"))
        ),
        checks=_checks(criterion),
        guidance=tuple(
            (name, _text(guidance, key)) for key, name in JUDGES.items() if _text(guidance, key)
        ),
    )


def _checks(criterion: Mapping[str, Any]) -> tuple[CheckText, ...]:
    rows = [row for row in _objects(criterion.get("checks")) if _text(row, "goal")]
    # A check without a weight weighs 1.
    weights = [_number(row, "weight") or 1.0 for row in rows]
    total = sum(weights) or 1.0
    return tuple(
        CheckText(
            _text(row, "goal"), f"{weight:g}", 100 * weight / total, row.get("essential") is True
        )
        for row, weight in zip(rows, weights, strict=True)
    )


def _worth(criterion: Mapping[str, Any]) -> float:
    # Points stand in place of a weight; a criterion with neither counts 1.
    points, weight = _number(criterion, "max_points"), _number(criterion, "weight")
    return points if points is not None else 1.0 if weight is None else weight


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    items = value if isinstance(value, list) else []
    return (item for item in items if isinstance(item, Mapping))


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _number(item: Mapping[str, Any], name: str) -> float | None:
    value = item.get(name)
    # True and False are integers in Python, but no points.
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
