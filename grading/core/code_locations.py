"""Parser of places typed by people: path:line, path:first-last, or a page of the report."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grading.core.errors import AppealRefused

MAX_PLACES = 20
MAX_CHARACTERS = 300
HIGHEST_LINE = 10_000_000
_PAGE = re.compile(r"(?:pdf,? *)?(?:page|p\.) *(\d{1,5})", re.IGNORECASE)
_LINES = re.compile(r"(?P<path>[^:]+?)(?::(?P<first>\d{1,8})(?:-(?P<last>\d{1,8}))?)?")


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """Path in the repository, optionally with lines, or a page of the report."""

    path: str | None = None
    first: int | None = None
    last: int | None = None
    page: int | None = None

    def __str__(self) -> str:
        if self.page is not None:
            return f"page {self.page}"
        lines = "" if self.first is None else f":{self.first}"
        return f"{self.path}{lines}" if self.last is None else f"{self.path}{lines}-{self.last}"


def read_places(text: str) -> tuple[NamedPlace, ...]:
    """Parse one place from each non-empty line. Raises AppealRefused with the bad line's number."""
    lines = [
        (number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    if len(lines) > MAX_PLACES:
        raise AppealRefused(
            "places", "places_too_many", f"The limit is {MAX_PLACES} places: choose the strongest."
        )
    return tuple(_place(number, line) for number, line in lines)


def _place(number: int, line: str) -> NamedPlace:
    if page := _PAGE.fullmatch(line):
        return NamedPlace(page=int(page[1]))
    match = _LINES.fullmatch(line) if len(line) <= MAX_CHARACTERS and line.isprintable() else None
    if match is None or not _is_inside(match["path"]):
        raise _refusal(number, "write src/graph.py:41, src/graph.py:41-60, src/graph.py or page 3.")

    first, last = (int(match[name]) if match[name] else None for name in ("first", "last"))
    if (
        first == 0
        or max(first or 0, last or 0) > HIGHEST_LINE
        or (last is not None and last < (first or 0))
    ):
        raise _refusal(number, "lines are counted from 1, and the first comes before the last.")

    # 41-41 is line 41: a place is written in one way only.
    return NamedPlace(match["path"].strip(), first, None if last == first else last)


def _is_inside(path: str) -> bool:
    return not path.startswith(("/", "~")) and "\\" not in path and ".." not in path.split("/")


def _refusal(number: int, sentence: str) -> AppealRefused:
    return AppealRefused("places", "place_unreadable", f"Line {number} is not a place: {sentence}")
