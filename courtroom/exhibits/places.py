"""Places that a judge asks for, read from the snapshot; a place that is not shown is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from courtroom.analysis.git.blobs import REGULAR_FILES
from courtroom.analysis.git.snapshot import (
    QUOTABLE_FILE_BYTES,
    Snapshot,
    TreeEntry,
    list_tree,
)
from courtroom.analysis.project.languages import is_binary, language_of
from courtroom.analysis.python.source_files import is_test_path
from courtroom.exhibits.outline import read_outline
from courtroom.exhibits.readable import lines_by_path, readable_paths
from courtroom.exhibits.sheets import file_sheet
from courtroom.exhibits.text_blocks import block_around, definition_lines
from courtroom.exhibits.units import Outline
from courtroom.models.case import Limits
from courtroom.models.errors import CourtroomError, ExaminationFailed
from courtroom.models.exhibit import AskedPlaces, Exhibit

MOST_LINES, MOST_CHARACTERS = 400, 12_000
# Definitions of one name that are shown; a common name such as `main` may have many.
MOST_DEFINITIONS = 3
# Characters of a place that are read: longer ones name nothing.
LONGEST_PLACE = 1200

UNREADABLE = "The repository could not be read."
NOT_A_PLACE = "This is no place: ask for `path:10-40`, `path`, or the name of a function or class."
OUTSIDE = "The path leads outside the repository."
NO_FILE = "The repository has no such file, function or class at this commit."
NOT_TEXT = "The file is binary or a link, and is not shown."
TOO_LARGE = "The file is larger than 1 MB, and is not shown."
NOT_READ = "The file could not be read."
NO_LINES = "The file has no such lines: it ends at line {last}."
ASKED = "asked for"

# Models write both dashes.
_PLACE_WITH_LINES = re.compile(r"(.+?):\s?(\d{1,7})(?:\s?[-\u2013]\s?(\d{1,7}))?")
_NAME = re.compile(r"\w+(?:\.\w+)*", re.ASCII)
_REPLACEMENT = "\ufffd"
_PROBE, _MOST_REPLACED = 8000, 80

Span = tuple[str, int, int]
Files = Mapping[str, Sequence[str]]


class Refused(Exception):
    """The place is not shown; the message is the sentence for the record."""


def read_places(snapshot: Snapshot, places: Sequence[str], *, limits: Limits) -> AskedPlaces:
    """Return the places as exhibits, in their order, or as refusals. Raises nothing."""
    try:
        reader = _Reader(snapshot, limits, places)
    except CourtroomError:
        return AskedPlaces(refusals=tuple((place, UNREADABLE) for place in places))

    exhibits: list[Exhibit] = []
    refusals: list[tuple[str, str]] = []
    for place in places:
        try:
            exhibits += reader.read(place)
        except Refused as refusal:
            refusals.append((place, str(refusal)))
    return AskedPlaces(exhibits=tuple(exhibits), refusals=tuple(refusals))


class _Reader:
    """Tree of the snapshot, and the files that the places may mean. Raises CourtroomError."""

    def __init__(self, snapshot: Snapshot, limits: Limits, places: Sequence[str]) -> None:
        self._snapshot = snapshot
        entries = list_tree(snapshot, limits)
        self._entries = {entry.path: entry for entry in entries}
        self._files = self._read_files(entries, limits, places)
        self._outline = self._read_outline(limits, places)

    def read(self, place: str) -> list[Exhibit]:
        """Return the exhibits of a place. Raises Refused."""
        path, first, last = _parsed(place)
        if path in self._entries:
            return [self._exhibit(*self._span(path, first, last))]
        if "/" in path and (path.startswith("/") or ".." in path.split("/")):
            raise Refused(OUTSIDE)
        spans = list(self._definitions(path)) if first is None and _NAME.fullmatch(path) else []
        if not spans:
            raise Refused(NO_FILE)
        return [self._exhibit(*span) for span in spans[:MOST_DEFINITIONS]]

    def _read_files(
        self, entries: Sequence[TreeEntry], limits: Limits, places: Sequence[str]
    ) -> Files:
        own = [path for path in map(_path_of, places) if path in self._entries]
        paths = [path for path in own if self._is_text(path)]
        # A name may be defined anywhere; a path needs its own file only.
        if len(own) < len(places):
            paths += readable_paths(entries, own, limits)
        return lines_by_path(self._snapshot, paths)

    def _read_outline(self, limits: Limits, places: Sequence[str]) -> Outline:
        wanted = {_path_of(place).rpartition(".")[2] for place in places}
        sources = {
            path: lines
            for path, lines in self._files.items()
            if path.endswith(".py")
            and any(name and name in line for line in lines for name in wanted)
        }
        try:
            return read_outline(sources, limits)
        except ExaminationFailed:
            # Definitions are then searched for in the text.
            return Outline()

    def _span(self, path: str, first: int | None, last: int | None) -> Span:
        if not self._is_text(path):
            raise Refused(NOT_TEXT)
        if self._entries[path].size > QUOTABLE_FILE_BYTES:
            raise Refused(TOO_LARGE)
        if path not in self._files:
            raise Refused(NOT_READ)
        lines = self._files[path]
        if sum(line[:_PROBE].count(_REPLACEMENT) for line in lines[:_PROBE]) > _MOST_REPLACED:
            raise Refused(NOT_TEXT)
        if first is not None and not 1 <= first <= len(lines):
            raise Refused(NO_LINES.format(last=len(lines)))
        start = first or 1
        return path, start, max(start, min(last or len(lines), len(lines)))

    def _is_text(self, path: str) -> bool:
        return self._entries[path].mode in REGULAR_FILES and not is_binary(path)

    def _definitions(self, name: str) -> Iterator[Span]:
        """Yield where a function or class is defined, tests last."""
        units = sorted(self._outline.named(name), key=lambda unit: is_test_path(unit.path))
        for unit in units:
            yield unit.path, unit.first, unit.last
        for path, lines in self._files.items():
            if path in self._outline.units or language_of(path) is None:
                continue
            for line in definition_lines(lines, name.rpartition(".")[2]):
                yield path, *block_around(lines, line, path)

    def _exhibit(self, path: str, first: int, last: int) -> Exhibit:
        """Return the lines, cut at the limits. Raises Refused when not even one line fits."""
        lines = self._files[path]
        end, characters = first - 1, 0
        for number in range(first, min(last, first + MOST_LINES - 1) + 1):
            characters += len(lines[number - 1]) + 1
            if characters > MOST_CHARACTERS:
                break
            end = number
        if end < first:
            raise Refused(f"Line {first} alone is longer than {MOST_CHARACTERS:,} characters.")

        title = ASKED if end == last else f"{ASKED}, cut: lines {first}-{end} of {first}-{last}"
        sheet = file_sheet(path, lines, self._snapshot.commit)
        return sheet.exhibit(first, end, title)


def _parsed(place: str) -> tuple[str, int | None, int | None]:
    """Return path or name, first and last line. Raises Refused."""
    text = _stripped(place)
    if not text or len(text) > LONGEST_PLACE:
        raise Refused(NOT_A_PLACE)
    match = _PLACE_WITH_LINES.fullmatch(text)
    if match is None:
        return text.removesuffix("()"), None, None
    first = int(match[2])
    return match[1], first, max(first, int(match[3] or first))


def _path_of(place: str) -> str:
    try:
        return _parsed(place)[0]
    except Refused:
        return ""


def _stripped(place: str) -> str:
    return place.strip().strip("`'\"").removeprefix("./").strip()
