"""Levels of a criterion, however they are written: a list, an object by name, or one sentence with points."""

from __future__ import annotations

import re
import sys
from typing import Any

from courtroom.models.rubric import Level
from courtroom.rubric_import.import_notes import Notebook
from courtroom.rubric_import.json_lines import JsonPath

POINTS = ("points", "score", "value")
# As in: 35 pts: Complete System (atomic commits; full pipeline). 21 pts: Partial Pipeline.
_SENTENCE = re.compile(
    r"(\d+(?:\.\d+)?)\s*(?:pts?|points?)\.?\s*:\s*([^(.;]+?)\s*(?:\(([^)]*)\))?\s*(?:[.;]|$)"
)


def levels_in(said: Any, place: JsonPath, notebook: Notebook) -> tuple[Level, ...]:
    """Levels from best to worst. What has no points is noted and left out; the order of equals is kept."""
    if not said:
        return ()
    found = [_level(name, value) for name, value in _pairs(said)]
    levels = [level for level in found if level]
    if len(levels) < len(found) or not levels:
        notebook.note(place, "Not used: levels without points.")
    return tuple(sorted(levels, key=lambda level: -level.points))


def _pairs(said: Any) -> list[tuple[str, Any]]:
    if isinstance(said, dict):
        return list(said.items())
    if isinstance(said, list):
        return [
            (str(v.get("name") or v.get("id") or ""), v) if isinstance(v, dict) else ("", v)
            for v in said
        ]
    parts = _SENTENCE.findall(str(said))
    return [
        (name, {"points": float(points), "description": words}) for points, name, words in parts
    ]


def _level(name: str, value: Any) -> Level | None:
    fields = value if isinstance(value, dict) else {"points": value}
    points = next(
        (p for p in (number_in(fields.get(key)) for key in POINTS) if p is not None), None
    )
    if points is None or points < 0 or not name:
        return None
    identity = str(fields.get("id") or slug(name))
    return Level(
        id=identity, name=name, points=points, description=str(fields.get("description") or "")
    )


def slug(text: str) -> str:
    """Lower case words joined by underscores, in any script."""
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


def positive_in(value: Any) -> float | None:
    number = number_in(value)
    return number if number and number > 0 else None


def number_in(value: Any) -> float | None:
    """A finite number; true and false are none."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not abs(value) <= sys.float_info.max
    ):
        return None
    return float(value)
