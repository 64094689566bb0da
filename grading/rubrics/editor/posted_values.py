"""A form's texts and the JSON values they stand for, and what was sent as a tree of names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.http import QueryDict

from grading.rubrics.editor.parameter_fields import Parameter, Shape

Sheet = dict[str, Any]
DEEPEST = 8


def texts(parameters: Iterable[Parameter], given: Mapping[str, Any]) -> Sheet:
    """Each field's text; a box to tick that is not given stands as its default says."""
    return {
        p.name: p.text_of(given[p.name]) if p.name in given else p.untouched for p in parameters
    }


def posted_texts(parameters: Iterable[Parameter], tree: Mapping[str, Any]) -> Sheet:
    """Each field's text as it was sent; a box that was not ticked is not sent at all."""
    return {
        p.name: p.known(sent_as(tree, p.name))
        if p.shape == Shape.CHOICES
        else leaf_of(tree, p.name)
        for p in parameters
    }


def values(parameters: Iterable[Parameter], sheet: Mapping[str, Any]) -> dict[str, Any]:
    """JSON values of what was filled in."""
    found = {p.name: p.value_of(sheet[p.name]) for p in parameters}
    return {name: value for name, value in found.items() if value is not None}


def tree_of(posted: QueryDict) -> dict[str, Any]:
    """`criteria.0.name` as {"criteria": {"0": {"name": [text]}}}; names that contradict each other are passed over."""
    tree: dict[str, Any] = {}
    for name, sent in posted.lists():
        *path, last = name.split(".")
        node: Any = tree
        for step in path[:DEEPEST]:
            node = node.setdefault(step, {}) if isinstance(node, dict) else None
        if isinstance(node, dict):
            node.setdefault(last, [str(text).replace("\r\n", "\n") for text in sent])
    return tree


def leaf_of(tree: Mapping[str, Any], name: str) -> str:
    """The text sent under this name; empty when none was."""
    return (sent_as(tree, name) or [""])[-1]


def items_of(tree: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """The items of a list, in the order in which they were sent."""
    return [item for item in object_of(tree.get(name)).values() if isinstance(item, dict)]


def object_of(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return list(value) if isinstance(value, list | tuple) else []


def sent_as(tree: Mapping[str, Any], name: str) -> list[str]:
    """Every text sent under this name."""
    leaf = tree.get(name)
    return leaf if isinstance(leaf, list) else []
