"""What a reader of a rubric leaves out or fills in, line by line."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.models.record import Frozen
from courtroom.rubric_import.json_lines import JsonPath


class ReadingNote(Frozen):
    """`line` is 1-based in the text that was read; `where` is the place as a dotted path."""

    line: int
    where: str
    message: str


class Notebook:
    """Collects notes and finds their lines."""

    def __init__(self, lines: Mapping[JsonPath, int]) -> None:
        self._lines = lines
        self._notes: list[ReadingNote] = []

    def note(self, place: JsonPath, message: str) -> None:
        """Note something about a place of the text, or about what is missing there."""
        line = next(
            self._lines[place[:n]] for n in range(len(place), -1, -1) if place[:n] in self._lines
        )
        self._notes.append(ReadingNote(line=line, where=".".join(map(str, place)), message=message))

    @property
    def notes(self) -> tuple[ReadingNote, ...]:
        """All notes in the order of the text."""
        return tuple(sorted(self._notes, key=lambda note: note.line))
