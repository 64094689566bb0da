"""Which field of the page each fault belongs beside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grading.engine.rubrics import RubricFault
from grading.rubrics.editor import labels
from grading.rubrics.editor.constitution_form import rules_in_force
from grading.rubrics.editor.posted_values import FormTexts

FieldErrors = Mapping[str, tuple[str, ...]]


def errors_by_field(faults: Iterable[RubricFault], texts: FormTexts) -> FieldErrors:
    """Sentences by the name of the field, or of the item or list, that they stand beside; "" for the whole rubric."""
    known = set(_names(texts, ""))
    placed: dict[str, tuple[str, ...]] = {}
    for fault in faults:
        name = _nearest(_name_of(fault, texts), known)
        placed[name] = (*placed.get(name, ()), labels.error_sentence(fault.kind, fault.message))
    return placed


def _name_of(fault: RubricFault, texts: FormTexts) -> str:
    """Rules are called by their kind on the page, and counted in the JSON."""
    place = [str(step) for step in fault.place]
    if fault.kind == "pattern_impossible":
        place.append("pattern")
    if place == ["constitution"]:
        place.append("preset")
    if place[:2] == ["constitution", "rules"] and len(place) > 2:
        place[2] = rules_in_force(texts["constitution"])[int(place[2])]
    return ".".join(place)


def _nearest(name: str, known: set[str]) -> str:
    """An item of a list of lines is shown in its field."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return name


def _names(node: Any, path: str) -> Iterable[str]:
    """The names of everything on the texts: fields, items and lists."""
    yield path
    several = isinstance(node, list) and all(isinstance(item, str) for item in node)
    if isinstance(node, dict) or (isinstance(node, list) and not several):
        for step, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from _names(value, f"{path}.{step}" if path else str(step))
