"""The nodes and arrows of a diagram: all that counts of it. Standard library only."""

from __future__ import annotations

import re
from dataclasses import dataclass

START, END = "START", "END"
MOST_NODES = 400
_LONGEST_LABEL = 160
_TAG = re.compile(r"<[^<>]{0,40}>|\\n|\s+")


@dataclass(frozen=True, slots=True)
class Chart:
    """`edges` are directed pairs of indexes into `labels`, each once, in the order they are written."""

    labels: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]


class ChartBuilder:
    """Collects nodes by their id; a node is named by its id and by its label where it has one."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._labels: list[str] = []
        self._edges: dict[tuple[int, int], None] = {}

    def node(self, name: str, label: str = "") -> int:
        """The node's index. What comes after MOST_NODES is drawn into the last one."""
        place = self._places.get(name)
        if place is None:
            place = self._places[name] = min(len(self._labels), MOST_NODES - 1)
            if place == len(self._labels):
                self._labels.append(name)
        if label:
            self._labels[place] = _named(name, label)
        return place

    def edge(self, source: int, target: int) -> None:
        self._edges[source, target] = None

    def chart(self) -> Chart:
        return Chart(tuple(self._labels), tuple(self._edges))


def _named(name: str, label: str) -> str:
    """A one-letter id says nothing beside a label; a speaking one is kept in front of it."""
    text = _TAG.sub(" ", label.strip().strip("\"'")).strip()[:_LONGEST_LABEL]
    keep = len(name) > 2 and name.lower() not in text.lower()
    return f"{name} {text}".strip() if keep else text or name
