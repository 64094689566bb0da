"""Places typed by people, parsed and looked up in what was audited.

A place is path:line, path:first-last, a path, or a page of the report.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import PurePosixPath
from unicodedata import normalize

from grading.core.errors import AppealRefused

MAX_PLACES = 20
MAX_CHARACTERS = 300
HIGHEST_LINE = 10_000_000
_PAGE = re.compile(r"(?:pdf,? *)?(?:page|p\.) *(\d{1,5})", re.IGNORECASE)
_LINES = re.compile(r"(?P<path>[^:]+?)(?::(?P<first>\d{1,8})(?:-(?P<last>\d{1,8}))?)?")


# Path to number of lines, null for a binary file.
FileLines = Mapping[str, int | None]


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


def refuse_missing(
    places: Iterable[NamedPlace], files: FileLines | None, pages: int | None
) -> None:
    """Raise AppealRefused place_missing for the first place that was not audited.

    The sentence says what there is: the nearest path, or the number of lines or pages. Null `files`
    or `pages` are not known: nothing about them is refused.
    """
    for place in places:
        sentence = _missing_page(place, pages) or _missing_lines(place, files)
        if sentence:
            raise AppealRefused("places", "place_missing", f"“{place}” does not exist: {sentence}")


def _missing_page(place: NamedPlace, pages: int | None) -> str:
    if place.page is None or pages is None or 1 <= place.page <= pages:
        return ""
    return f"the report has {_counted(pages, 'page')}."


def _missing_lines(place: NamedPlace, files: FileLines | None) -> str:
    if place.path is None or files is None:
        return ""
    by_name = {normalize("NFC", path): path for path in files}
    path = normalize("NFC", place.path).removeprefix("./")
    if path not in by_name:
        is_folder = any(name.startswith(f"{path.rstrip('/')}/") for name in by_name)
        if is_folder and place.first is None:
            return ""
        return _missing_path(path, by_name, files)

    lines, last = files[by_name[path]], place.last or place.first
    if last is None or (lines is not None and last <= lines):
        return ""
    return "it is a binary file." if lines is None else f"the file has {_counted(lines, 'line')}."


def _missing_path(path: str, by_name: Mapping[str, str], files: FileLines) -> str:
    namesakes = [name for name in by_name if PurePosixPath(name).name == PurePosixPath(path).name]
    # People forget folders more often than they misspell them.
    nearest = next(
        iter(get_close_matches(path, namesakes, 1, 0) or get_close_matches(path, by_name, 1)), ""
    )
    absent = "the audited commit has no such file"
    if not nearest:
        return f"{absent}."
    lines = files[by_name[nearest]]
    size = "" if lines is None else f" ({_counted(lines, 'line')})"
    return f"{absent}. The nearest is {nearest}{size}."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
