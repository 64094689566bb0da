"""Notes about a rubric that was imported: what was left out or filled in, with the line."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.models.frozen_record import Frozen
from courtroom.rubric_import.json_lines import JsonPath


class RubricNote(Frozen):
    """Frozen note; `line` is 1-based in the text, `where` is the place as a dotted path."""

    line: int
    where: str
    message: str


class NoteCollector:
    """Collects notes and finds their lines."""

    def __init__(self, lines: Mapping[JsonPath, int]) -> None:
        self._lines = lines
        self._notes: list[RubricNote] = []

    def add(self, place: JsonPath, message: str) -> None:
        """Add a note about a place of the text, or about something missing there."""
        where = ".".join(map(str, place))
        self._notes.append(RubricNote(line=self.line_of(place), where=where, message=message))

    def line_of(self, place: JsonPath) -> int:
        # Missing keys have no line of their own: the nearest parent with a line stands in.
        return next(
            self._lines[place[:length]]
            for length in range(len(place), -1, -1)
            if place[:length] in self._lines
        )

    @property
    def notes(self) -> tuple[RubricNote, ...]:
        """All notes in the order of the text."""
        return tuple(sorted(self._notes, key=lambda note: note.line))
