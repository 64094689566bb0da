"""The door to rubrics: those that ship, our own format, and whatever JSON a course has written.

A rubric in our own format (rubric/schema.json) must fit it exactly. Any other JSON is read leniently: what can be
judged is kept, and every part that is not used is named with its line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from courtroom.models.errors import RubricRefused
from courtroom.models.record import Frozen
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.import_notes import Notebook, ReadingNote
from courtroom.rubric_import.json_lines import JsonPath, lines_of
from courtroom.rubric_import.rubric_conversion import translate
from courtroom.rubric_import.rubric_validation import Misfit, misfits_of, unusable
from courtroom.rubric_import.shipped_rubrics import SHIPPED, shipped

# The longest rubric known from practice has 13 kB.
MOST_CHARACTERS = 1_000_000
# None known from practice goes deeper than 7.
MOST_LEVELS = 100
NAMED_FAULTS = 5


class RubricReading(Frozen):
    """A rubric as it will be applied, and what of the text it leaves out or fills in."""

    rubric: Rubric
    notes: tuple[ReadingNote, ...] = ()


def read_rubric(text: str) -> RubricReading:
    """Read a rubric from JSON. Raises RubricRefused when nothing in it can be judged, saying where and why."""
    data = _parse(text)
    if _is_our_own(data):
        return RubricReading(rubric=_validate(data, text))
    _refuse(tuple(unusable(data)), text)
    notebook = Notebook(lines_of(text))
    return RubricReading(rubric=translate(data, notebook), notes=notebook.notes)


def shipped_rubric(name: str) -> Rubric:
    """A rubric by its shipped name (self_audit, points, general) or by the path of a JSON file."""
    if name in SHIPPED:
        return shipped(name)
    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        known = ", ".join(SHIPPED)
        message = f"There is no rubric {name!r}: neither a readable file nor one of {known}."
        raise RubricRefused("rubric_unknown", message) from error
    return read_rubric(text).rubric


def _parse(text: str) -> Any:
    if len(text) > MOST_CHARACTERS:
        message = f"The rubric has {len(text)} characters; at most {MOST_CHARACTERS} are read."
        raise RubricRefused("rubric_too_large", message)
    if not text.strip():
        raise RubricRefused("rubric_empty", "The rubric is empty.")
    try:
        data = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        message = (
            f"The rubric is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        )
        raise RubricRefused("rubric_invalid_json", message) from error
    except (RecursionError, ValueError) as error:
        message = "The rubric is nested too deeply, or holds a number that is too long."
        raise RubricRefused("rubric_invalid_json", message) from error
    if _depth(data) > MOST_LEVELS:
        raise RubricRefused("rubric_invalid_json", "The rubric is nested too deeply.")
    return data


def _depth(data: Any) -> int:
    depth, level = 0, [data]
    while level := [part for whole in level for part in _parts(whole)]:
        depth += 1
    return depth


def _parts(whole: Any) -> Iterable[Any]:
    if isinstance(whole, dict):
        return whole.values()
    return whole if isinstance(whole, list) else ()


def _is_our_own(data: Any) -> bool:
    """Our format has an id and a version at the top, and criteria; no course file of the wild does."""
    return isinstance(data, dict) and {"id", "version", "criteria"} <= set(data)


def _validate(data: Any, text: str) -> Rubric:
    _refuse(misfits_of(data), text)
    return Rubric.model_validate(data)


def _refuse(misfits: tuple[Misfit, ...], text: str) -> None:
    if misfits:
        lines = lines_of(text)
        faults = "; ".join(_told(misfit, lines) for misfit in misfits[:NAMED_FAULTS])
        raise RubricRefused("rubric_invalid", f"The rubric does not fit its schema: {faults}.")


def _told(misfit: Misfit, lines: Mapping[JsonPath, int]) -> str:
    """The fault with its line; what is missing is looked for where it belongs."""
    place = misfit.place
    while place not in lines:
        place = place[:-1]
    return f"line {lines[place]}, {'.'.join(map(str, misfit.place)) or 'the rubric'}: {misfit.message.rstrip('.')}"
