"""Faults of a document, placed beside the fields of the form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grading.engine.rubrics import RubricFault
from grading.rubrics.editor import labels
from grading.rubrics.editor.constitution_form import rules_in_force
from grading.rubrics.editor.posted_values import FormTexts

FieldErrors = Mapping[str, tuple[str, ...]]


def errors_by_field(faults: Iterable[RubricFault], texts: FormTexts) -> FieldErrors:
    """Return sentences by the name of a field, an item or a list; "" is the whole rubric."""
    names = set(_names(texts, ""))
    placed: dict[str, tuple[str, ...]] = {}
    for fault in faults:
        name = _nearest_name(_name_of(fault, texts), names)
        placed[name] = (*placed.get(name, ()), labels.error_sentence(fault.kind, fault.message))
    return placed


def _name_of(fault: RubricFault, texts: FormTexts) -> str:
    place = [str(step) for step in fault.place]
    # The fault is about the whole constitution, but one field can repair it.
    if place == ["constitution"]:
        place.append("preset")
    # The page names rules by kind, the JSON by index.
    if place[:2] == ["constitution", "rules"] and len(place) > 2:
        place[2] = rules_in_force(texts["constitution"])[int(place[2])]
    return ".".join(place)


def _nearest_name(name: str, names: set[str]) -> str:
    """Return the closest name on the page: an item of a list of lines stands in its field."""
    while name and name not in names:
        name = name.rpartition(".")[0]
    return name


def _names(node: Any, path: str) -> Iterable[str]:
    """Yield the names of all fields, items and lists."""
    yield path
    # A list of texts is one field with several choices, not a list of items.
    is_choices = isinstance(node, list) and all(isinstance(item, str) for item in node)
    if isinstance(node, dict) or (isinstance(node, list) and not is_choices):
        for step, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _names(value, f"{path}.{step}" if path else str(step))
