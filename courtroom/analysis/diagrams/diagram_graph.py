"""Nodes and arrows of a diagram. Standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass

START, END = "START", "END"
MOST_NODES = 400
_MAX_LABEL = 160
_TAG = re.compile(r"<[^<>]{0,40}>|\\n|\s+")


@dataclass(frozen=True, slots=True)
class Chart:
    """Diagram as a graph. `edges` are distinct directed pairs of indexes into `labels`."""

    labels: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]


class ChartBuilder:
    """Collects nodes by their id. A node's name is its id, its label, or both."""

    def __init__(self) -> None:
        self._indexes: dict[str, int] = {}
        self._labels: list[str] = []
        self._edges: dict[tuple[int, int], None] = {}

    def node(self, name: str, label: str = "") -> int:
        """Return the node's index. Nodes after MOST_NODES share the last index."""
        index = self._indexes.get(name)
        if index is None:
            index = self._indexes[name] = min(len(self._labels), MOST_NODES - 1)
            if index == len(self._labels):
                self._labels.append(name)
        if label:
            self._labels[index] = _full_label(name, label)

        return index

    def edge(self, source: int, target: int) -> None:
        self._edges[source, target] = None

    def chart(self) -> Chart:
        return Chart(tuple(self._labels), tuple(self._edges))


def _full_label(name: str, label: str) -> str:
    """Return the label, after the id when that is a word of its own."""
    text = _TAG.sub(" ", label.strip().strip("\"'")).strip()[:_MAX_LABEL]
    # An id of one or two letters says nothing.
    keep = len(name) > 2 and name.lower() not in text.lower()
    return f"{name} {text}".strip() if keep else text or name
