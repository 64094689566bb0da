"""A rubric as students read it before they hand in; what only the judges are told stands apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

JUDGES = {"prosecutor": "Prosecutor", "defense": "Defense", "tech_lead": "Tech Lead"}


@dataclass(frozen=True, slots=True)
class LevelText:
    """`points` null where the rubric gives levels none."""

    name: str
    points: float | None
    description: str


@dataclass(frozen=True, slots=True)
class CriterionText:
    """`share` is its part of the whole in percent; `points` null where the rubric has none. `guidance` are (judge, words)
    that students never read."""

    name: str
    instruction: str
    good: str
    poor: str
    points: float | None
    share: float
    levels: tuple[LevelText, ...]
    guidance: tuple[tuple[str, str], ...]


def criteria_texts(document: Mapping[str, Any]) -> tuple[CriterionText, ...]:
    """In the rubric's order. Of a draft that does not fit yet, what can be read."""
    criteria = list(_objects(document.get("criteria")))
    weights = [_worth(criterion) for criterion in criteria]
    whole = sum(weights) or 1.0
    return tuple(
        _criterion(criterion, 100 * weight / whole)
        for criterion, weight in zip(criteria, weights, strict=True)
    )


def _criterion(criterion: Mapping[str, Any], share: float) -> CriterionText:
    logic = criterion.get("judicial_logic")
    told = logic if isinstance(logic, Mapping) else {}
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
        guidance=tuple(
            (name, _text(told, key)) for key, name in JUDGES.items() if _text(told, key)
        ),
    )


def _worth(criterion: Mapping[str, Any]) -> float:
    points, weight = _number(criterion, "max_points"), _number(criterion, "weight")
    return points if points is not None else 1.0 if weight is None else weight


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    return (
        each for each in (value if isinstance(value, list) else []) if isinstance(each, Mapping)
    )


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def _number(item: Mapping[str, Any], name: str) -> float | None:
    value = item.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
