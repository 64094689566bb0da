"""Parser for the levels of a criterion: a list, an object by name, or a sentence with points."""

from __future__ import annotations

import re
import sys
from typing import Any

from courtroom.models.rubric import Level
from courtroom.rubric_import.import_notes import NoteCollector
from courtroom.rubric_import.json_lines import JsonPath

POINTS = ("points", "score", "value")
# As in: 35 pts: Complete System (atomic commits; full pipeline). 21 pts: Partial Pipeline.
_SENTENCE = re.compile(
    r"(?<!\d)(\d++(?:\.\d++)?)\s*+(?:pts?|points?)\.?\s*+:\s*+"
    r"([^(.;]{1,500}+)(?:\(([^)]{0,2000}+)\))?\s*+(?:[.;]|$)"
)


def parse_levels(data: Any, place: JsonPath, notes: NoteCollector) -> tuple[Level, ...]:
    """Return the levels from best to worst; equal points keep their order.

    Levels without points are left out, with a note.
    """
    if not data:
        return ()

    parsed = [_level(name, value) for name, value in _named_values(data)]
    levels = [level for level in parsed if level]
    if len(levels) < len(parsed) or not levels:
        notes.add(place, "Not used: levels without points.")
    return tuple(sorted(levels, key=lambda level: -level.points))


def _named_values(data: Any) -> list[tuple[str, Any]]:
    if isinstance(data, dict):
        return list(data.items())

    if isinstance(data, list):
        return [
            (str(item.get("name") or item.get("id") or ""), item)
            if isinstance(item, dict)
            else ("", item)
            for item in data
        ]

    return [
        (name.strip(), {"points": float(points), "description": description})
        for points, name, description in _SENTENCE.findall(str(data))
    ]


def _level(name: str, value: Any) -> Level | None:
    fields = value if isinstance(value, dict) else {"points": value}
    numbers = (parse_number(fields.get(key)) for key in POINTS)
    points = next((number for number in numbers if number is not None), None)
    if points is None or points < 0 or not name:
        return None

    return Level(
        id=str(fields.get("id") or slug(name)),
        name=name,
        points=points,
        description=str(fields.get("description") or ""),
    )


def slug(text: str) -> str:
    """Return lower case words joined by underscores, in any script."""
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_")


def parse_positive(value: Any) -> float | None:
    number = parse_number(value)
    return number if number and number > 0 else None


def parse_number(value: Any) -> float | None:
    """Return a finite number, or None; true and false are not numbers here."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None

    # JSON integers have no bound: one above the largest float would raise in float().
    return float(value) if abs(value) <= sys.float_info.max else None
