"""Conversion between the texts of a form, the JSON values they mean, and posted data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict

from grading.rubrics.editor.parameter_fields import Parameter, Shape

FormTexts = dict[str, Any]
# Deeper than any name of the form: criteria.0.checks.0.goal has five parts.
MAX_DEPTH = 8


def field_texts(parameters: Iterable[Parameter], item: Mapping[str, Any]) -> FormTexts:
    """Return each field's text; a field that the JSON leaves out gets its initial text."""
    return {p.name: p.text_of(item[p.name]) if p.name in item else p.initial for p in parameters}


def posted_field_texts(parameters: Iterable[Parameter], tree: Mapping[str, Any]) -> FormTexts:
    """Return each field's posted text; browsers do not post boxes that are not ticked."""
    return {
        p.name: p.valid_choices(posted_list(tree, p.name))
        if p.shape == Shape.CHOICES
        else posted_text(tree, p.name)
        for p in parameters
    }


def field_values(parameters: Iterable[Parameter], texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON values of the fields that are filled in."""
    by_name = {p.name: p.value_of(texts[p.name]) for p in parameters}
    return {name: value for name, value in by_name.items() if value is not None}


def posted_tree(posted: QueryDict) -> dict[str, Any]:
    """Return posted names as a tree: `criteria.0.name` is {"criteria": {"0": {"name": [text]}}}.

    Names that contradict each other are skipped.
    """
    tree: dict[str, Any] = {}
    for name, sent in posted.lists():
        *path, last = name.split(".")
        node: Any = tree
        # Names come from the browser, so their depth is limited.
        for step in path[:MAX_DEPTH]:
            node = node.setdefault(step, {}) if isinstance(node, dict) else None

        if isinstance(node, dict):
            node.setdefault(last, [str(text).replace("\r\n", "\n") for text in sent])
    return tree


def posted_text(tree: Mapping[str, Any], name: str) -> str:
    """Return the last text posted under this name, or an empty one."""
    return (posted_list(tree, name) or [""])[-1]


def posted_items(tree: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the items of a list, in the order in which they were posted."""
    return [item for item in object_of(tree.get(name)).values() if isinstance(item, dict)]


def object_of(value: Any) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return list(value) if isinstance(value, list | tuple) else []


def posted_list(tree: Mapping[str, Any], name: str) -> list[str]:
    """Return every text posted under this name."""
    leaf = tree.get(name)
    return leaf if isinstance(leaf, list) else []
