"""Validation, schema and labels of rubrics, for the editor.

Importing this module is cheap. The courtroom's modules that its functions import are light:
records, no langgraph.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class RubricFault:
    """Fault of a rubric. `place` is a path into its JSON; `kind` is a stable code.

    Faults of a text also have a line and perhaps a column, both 1-based.
    """

    place: Place
    kind: str
    message: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class CheckLabel:
    """Words of the editor for a kind of check. The mappings go by parameter, `choices` by value.

    `exact` names the lists in whose lines the spaces at the ends count.
    """

    title: str
    about: str
    fields: Mapping[str, str]
    help: Mapping[str, str]
    choices: Mapping[str, str]
    exact: tuple[str, ...]


@cache
def check_labels() -> Mapping[str, CheckLabel]:
    """Return the labels of all kinds of checks, by kind; callers must not change them."""
    from courtroom.checks.registry import KINDS

    return {
        name: CheckLabel(
            title=kind.label.title,
            about=kind.label.about,
            fields=kind.label.fields,
            help=kind.label.help,
            choices=kind.label.choices,
            exact=kind.label.exact,
        )
        for name, kind in KINDS.items()
    }


@cache
def rubric_schema() -> Mapping[str, Any]:
    """Return the JSON Schema of a rubric, with every check and rule; it must not be changed."""
    from courtroom import Rubric

    return Rubric.model_json_schema()


@cache
def preset_constitutions() -> Mapping[str, Mapping[str, Any]]:
    """Return the shipped constitutions by name; callers must not change them."""
    from courtroom.synthesis.constitutions import PRESETS

    return {name: preset.model_dump(mode="json") for name, preset in PRESETS.items()}


def has_rules_of(preset: str, constitution: Mapping[str, Any]) -> bool:
    """Return True if a constitution has the rules and values of a preset, whatever its id."""
    from pydantic import ValidationError

    from courtroom.synthesis.rules import Constitution

    try:
        settled = Constitution.model_validate(dict(constitution)).model_dump(mode="json")
    except ValidationError:
        return False
    shipped = preset_constitutions().get(preset)
    return shipped is not None and {**settled, "id": ""} == {**shipped, "id": ""}


def rubric_faults(document: Any) -> tuple[RubricFault, ...]:
    """Return the faults of a document in the rubric's order; none when it is valid."""
    from courtroom.rubric_import.rubric_validation import faults_in

    return tuple(
        RubricFault(fault.place, fault.kind, fault.message) for fault in faults_in(document)
    )


def settled_rubric(document: Any) -> dict[str, Any]:
    """Return a document without faults as the courtroom writes it, with all defaults."""
    from courtroom import Rubric

    settled: dict[str, Any] = Rubric.model_validate(document).model_dump(mode="json")
    return settled


def document_digest(document: Any) -> str:
    """Return the SHA-256 of the canonical JSON without nulls, as courtroom's Rubric.digest.

    It shows whether a draft has changed since somebody opened it.
    """
    from courtroom.models.canonical_json import digest_of

    return str(digest_of(_without_nulls(document)))


def _without_nulls(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: _without_nulls(value) for key, value in node.items() if value is not None}
    return [_without_nulls(item) for item in node] if isinstance(node, list) else node


def read_rubric_text(text: str) -> tuple[Any, tuple[RubricFault, ...]]:
    """Return a rubric's JSON in our own format with its faults; None for invalid JSON."""
    try:
        document = json.loads(text)
    # Caught first: it is a ValueError, too.
    except json.JSONDecodeError as error:
        return None, (RubricFault((), "json_invalid", f"{error.msg}.", error.lineno, error.colno),)
    # ValueError: Python parses no integer of more than 4300 digits.
    except (RecursionError, ValueError):
        message = "It is nested too deeply, or has a number that is too long."
        return None, (RubricFault((), "json_invalid", message, 1, 1),)

    return document, _with_lines(rubric_faults(document), text)


def _with_lines(faults: tuple[RubricFault, ...], text: str) -> tuple[RubricFault, ...]:
    from courtroom.rubric_import.json_lines import lines_of

    lines = lines_of(text) if faults else {}
    return tuple(
        RubricFault(fault.place, fault.kind, fault.message, _line(fault.place, lines))
        for fault in faults
    )


def _line(place: Place, lines: Mapping[Place, int]) -> int:
    """Return the line of a value; of a missing one, the line where its object begins."""
    return next(lines[place[:n]] for n in range(len(place), -1, -1) if place[:n] in lines)
