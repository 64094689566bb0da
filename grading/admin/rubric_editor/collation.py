"""Two texts of the same draft side by side: what somebody saved, and what somebody else has typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Reading:
    """One place where the two differ; an empty text where one of them has nothing."""

    where: str
    saved: str
    typed: str


def collated(saved: Any, typed: Any) -> list[Reading]:
    """Every place where the documents differ. Criteria, checks and levels are told apart by their ids."""
    before, after = dict(_leaves(saved, "")), dict(_leaves(typed, ""))
    return [
        Reading(place, before.get(place, ""), after.get(place, ""))
        for place in {**before, **after}
        if before.get(place, "") != after.get(place, "")
    ]


def _leaves(node: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, list) and node and all(isinstance(item, dict) for item in node):
        named = [(str(item.get("id") or item.get("kind") or n), item) for n, item in enumerate(node)]
        yield f"{place}, order", ", ".join(name for name, _ in named)
        for name, item in named:
            yield from _leaves(item, f"{place}, {name}")
    elif isinstance(node, dict):
        for key, value in node.items():
            yield from _leaves(value, f"{place}, {key}" if place else str(key))
    elif node not in (None, "", [], False):
        yield place, "\n".join(map(str, node)) if isinstance(node, list) else str(node)
