"""Reader of rubrics: the shipped ones, our own format, and the JSON that courses write.

A rubric in our own format (rubric/schema.json) must fit it exactly. Any other JSON is read
leniently: everything that can be judged is kept, and each unused part is noted with its line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from courtroom.models.errors import RubricRefused
from courtroom.models.frozen_record import Frozen
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.import_notes import NoteCollector, RubricNote
from courtroom.rubric_import.json_lines import JsonPath, lines_of
from courtroom.rubric_import.rubric_conversion import convert_rubric
from courtroom.rubric_import.rubric_validation import (
    NESTED_TOO_DEEPLY,
    RubricFault,
    faults_in,
    is_nested_too_deeply,
    unusable_characters,
)
from courtroom.rubric_import.shipped_rubrics import SHIPPED, load_shipped

# The longest rubric known from practice has 13 kB.
MOST_CHARACTERS = 1_000_000
LISTED_FAULTS = 5


class ImportedRubric(Frozen):
    """Frozen rubric as it will be applied, and notes on what was left out or filled in."""

    rubric: Rubric
    notes: tuple[RubricNote, ...] = ()


def read_rubric(text: str) -> ImportedRubric:
    """Read a rubric from JSON.

    Raises RubricRefused, with the place and the reason, when nothing in it can be judged.
    """
    data = _parse(text)
    if _is_our_format(data):
        return ImportedRubric(rubric=_validate(data, text))

    # The lenient reader keeps any words, so characters no database stores must go first.
    _refuse(tuple(unusable_characters(data)), text)
    notes = NoteCollector(lines_of(text))
    return ImportedRubric(rubric=convert_rubric(data, notes), notes=notes.notes)


def shipped_rubric(name: str) -> Rubric:
    """Return a rubric by its shipped name (self_audit, points, general) or a JSON file's path."""
    if name in SHIPPED:
        return load_shipped(name)

    try:
        text = Path(name).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        names = ", ".join(SHIPPED)
        message = f"There is no rubric {name!r}: it is neither a readable file nor one of {names}."
        raise RubricRefused("rubric_unknown", message) from error
    return read_rubric(text).rubric


def _parse(text: str) -> Any:
    if len(text) > MOST_CHARACTERS:
        message = f"The rubric has {len(text)} characters; the limit is {MOST_CHARACTERS}."
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
        # Python raises ValueError for an integer of more than 4300 digits.
        message = "The rubric is nested too deeply, or contains a number that is too long."
        raise RubricRefused("rubric_invalid_json", message) from error

    if is_nested_too_deeply(data):
        raise RubricRefused("rubric_invalid_json", NESTED_TOO_DEEPLY)
    return data


def _is_our_format(data: Any) -> bool:
    """Our format has an id and a version at the top, and criteria; no course file known does."""
    return isinstance(data, dict) and {"id", "version", "criteria"} <= set(data)


def _validate(data: Any, text: str) -> Rubric:
    _refuse(faults_in(data), text)
    return Rubric.model_validate(data)


def _refuse(faults: tuple[RubricFault, ...], text: str) -> None:
    if not faults:
        return

    lines = lines_of(text)
    listed = "; ".join(_fault_text(fault, lines) for fault in faults[:LISTED_FAULTS])
    raise RubricRefused("rubric_invalid", f"The rubric does not fit its schema: {listed}.")


def _fault_text(fault: RubricFault, lines: Mapping[JsonPath, int]) -> str:
    # A missing value has no line: the nearest parent with a line stands in.
    place = fault.place
    while place not in lines:
        place = place[:-1]

    path = ".".join(map(str, fault.place)) or "the rubric"
    return f"line {lines[place]}, {path}: {fault.message.rstrip('.')}"
