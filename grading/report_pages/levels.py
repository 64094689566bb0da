"""Level that a criterion reached and the next better one, as the rubric describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ReachedLevel:
    """Levels of the rubric ({name, points, description}); `next` is None at the best level."""

    level: Json
    next: Json | None


def levels_in(rubric: Json | None) -> dict[str, list[Json]]:
    """Return the levels by criterion, best first; none without a rubric."""
    return {row["id"]: row.get("levels") or [] for row in (rubric or {"criteria": []})["criteria"]}


def reached_level(level: str, levels: list[Json]) -> ReachedLevel | None:
    """Return None where the rubric has no levels, or none of this name."""
    place = next((place for place, row in enumerate(levels) if row["name"] == level), None)
    if place is None:
        return None
    # Levels are best first: the next better one stands before.
    return ReachedLevel(levels[place], levels[place - 1] if place else None)
