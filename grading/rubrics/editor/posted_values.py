"""A form's texts and the JSON values they stand for, and what was sent as a tree of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict

from grading.rubrics.editor.parameter_fields import Parameter, Shape

FormTexts = dict[str, Any]
MAX_DEPTH = 8


def field_texts(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> FormTexts:
    """Each field's text; a box to tick that is not given stands as its default says."""
    return {
        p.name: p.text_of(given[p.name]) if p.name in given else p.untouched for p in parameters
    }


def posted_field_texts(parameters: Iterable[Parameter], tree: Mapping[str, Any]) -> FormTexts:
    """Each field's text as it was sent; a box that was not ticked is not sent at all."""
    return {
        p.name: p.known(posted_list(tree, p.name))
        if p.shape == Shape.CHOICES
        else posted_text(tree, p.name)
        for p in parameters
    }


def field_values(parameters: Iterable[Parameter], texts: Mapping[str, Any]) -> dict[str, Any]:
    """JSON values of what was filled in."""
    found = {p.name: p.value_of(texts[p.name]) for p in parameters}
    return {name: value for name, value in found.items() if value is not None}


def posted_tree(posted: QueryDict) -> dict[str, Any]:
    """`criteria.0.name` as {"criteria": {"0": {"name": [text]}}}; names that contradict each other are passed over."""
    tree: dict[str, Any] = {}
    for name, sent in posted.lists():
        *path, last = name.split(".")
        node: Any = tree
        for step in path[:MAX_DEPTH]:
            node = node.setdefault(step, {}) if isinstance(node, dict) else None
        if isinstance(node, dict):
            node.setdefault(last, [str(text).replace("\r\n", "\n") for text in sent])
    return tree


def posted_text(tree: Mapping[str, Any], name: str) -> str:
    """The text sent under this name; empty when none was."""
    return (posted_list(tree, name) or [""])[-1]


def posted_items(tree: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The items of a list, in the order in which they were sent."""
    return [item for item in object_of(tree.get(name)).values() if isinstance(item, dict)]


def object_of(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return list(value) if isinstance(value, list | tuple) else []


def posted_list(tree: Mapping[str, Any], name: str) -> list[str]:
    """Every text sent under this name."""
    leaf = tree.get(name)
    return leaf if isinstance(leaf, list) else []
