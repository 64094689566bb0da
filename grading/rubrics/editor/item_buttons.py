"""Buttons that add, remove and move the items of the form: criteria, levels and checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from grading.rubrics.editor.posted_values import FormTexts
from grading.rubrics.editor.rubric_form import new_item

# The lists of a rubric that buttons may change; a path through anything else is refused.
LISTS = ("criteria", "levels", "checks")


def apply_item_button(texts: FormTexts, button: str) -> str | None:
    """Apply a button's value such as `up criteria.2.checks.0` or `add criteria`, in place.

    Return the path of the item to open next, or None for a value that does not apply.
    """
    verb, _, path = button.partition(" ")
    action = _ACTIONS.get(verb)
    listed, _, position = path.rpartition(".") if verb != "add" else (path, "", "0")
    items = _list_at(texts, listed)

    # Values come from the browser: anything that names no item is ignored.
    if (
        action is None
        or items is None
        or not position.isdecimal()
        or int(position) >= max(len(items), verb == "add")
    ):
        return None

    return f"{listed}.{action(items, int(position), listed)}" if listed else None


def _add(items: list[Any], _position: int, listed: str) -> int:
    items.append(new_item(listed.rsplit(".", 1)[-1]))
    return len(items) - 1


def _remove(items: list[Any], position: int, _listed: str) -> int:
    del items[position]
    return max(0, position - 1)


def _up(items: list[Any], position: int, _listed: str) -> int:
    to = max(0, position - 1)
    items.insert(to, items.pop(position))
    return to


def _down(items: list[Any], position: int, _listed: str) -> int:
    items.insert(position + 1, items.pop(position))
    return min(position + 1, len(items) - 1)


_ACTIONS: dict[str, Callable[[list[Any], int, str], int]] = {
    "add": _add,
    "remove": _remove,
    "up": _up,
    "down": _down,
}


def _list_at(texts: FormTexts, path: str) -> list[Any] | None:
    """Return the list at the path, or None when the rubric has no such list."""
    node: Any = texts
    for step in path.split("."):
        if isinstance(node, list):
            node = node[int(step)] if step.isdecimal() and int(step) < len(node) else None
        else:
            node = node.get(step) if isinstance(node, dict) and step in LISTS else None
    return node if isinstance(node, list) else None
