"""Where each value of a JSON text stands, so that a note about a rubric can name its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

JsonPath = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')


def lines_of(text: str) -> dict[JsonPath, int]:
    """The 1-based line on which each key or item of a valid JSON text begins, by its path from the root."""
    walk, lines = _Walk(), dict[JsonPath, int]()
    for word, line in _words(text):
        place = walk.step(word)
        if place is not None:
            lines.setdefault(place, line)
    return lines


def _words(text: str) -> Iterator[tuple[str, int]]:
    line, seen = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", seen, token.start())
        seen = token.start()
        yield token[0], line


class _Walk:
    """The path of brackets, keys and positions that a reader of the tokens stands in."""

    def __init__(self) -> None:
        self._path: list[str | int] = []
        self._brackets: list[str] = []
        self._expects_key = False

    def step(self, word: str) -> JsonPath | None:
        """Move past one token; answer the path of the key or value that begins with it."""
        if word in "]}:,":
            self._punctuate(word)
            return None
        if self._expects_key:
            self._path[-1], self._expects_key = json.loads(word), False
            return tuple(self._path)
        place = tuple(self._path)
        if word in "[{":
            self._brackets.append(word)
            self._path.append(0 if word == "[" else "")
            self._expects_key = word == "{"
        return place

    def _punctuate(self, word: str) -> None:
        if word in "]}":
            self._brackets.pop()
            self._path.pop()
            self._expects_key = False
        elif word == "," and self._brackets[-1] == "{":
            self._expects_key = True
        elif word == ",":
            self._path[-1] = int(self._path[-1]) + 1
