"""Line numbers of the values of a JSON text, so that a note can name its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

JsonPath = tuple[str | int, ...]

# A string, a bracket or separator, or a bare number or word.
_SYMBOL = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^\s\[\]{}:,"]+')


def lines_of(text: str) -> dict[JsonPath, int]:
    """Map the path of each key or item of a valid JSON text to its 1-based line."""
    tracker, lines = _PathTracker(), dict[JsonPath, int]()

    for symbol, line in _symbols(text):
        path = tracker.advance(symbol)
        if path is not None:
            # A key comes before its value, so the key's line stays.
            lines.setdefault(path, line)
    return lines


def _symbols(text: str) -> Iterator[tuple[str, int]]:
    line, position = 1, 0
    for match in _SYMBOL.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        yield match[0], line


class _PathTracker:
    """Tracks the path of keys and positions while the symbols are read in order."""

    def __init__(self) -> None:
        self._path: list[str | int] = []
        self._brackets: list[str] = []
        self._expects_key = False

    def advance(self, symbol: str) -> JsonPath | None:
        """Move past one symbol; return the path of the key or value that begins with it."""
        if symbol in "]}:,":
            self._close_or_separate(symbol)
            return None

        if self._expects_key:
            self._path[-1], self._expects_key = json.loads(symbol), False
            return tuple(self._path)

        path = tuple(self._path)
        if symbol in "[{":
            self._brackets.append(symbol)
            self._path.append(0 if symbol == "[" else "")
            self._expects_key = symbol == "{"
        return path

    def _close_or_separate(self, symbol: str) -> None:
        if symbol in "]}":
            self._brackets.pop()
            self._path.pop()
            self._expects_key = False
        elif symbol == "," and self._brackets[-1] == "{":
            self._expects_key = True
        elif symbol == ",":
            self._path[-1] = int(self._path[-1]) + 1
