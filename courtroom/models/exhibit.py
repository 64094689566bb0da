"""Exhibits: the parts of the work that the judges of one criterion read."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from courtroom.models.evidence import Location
from courtroom.models.frozen_record import Frozen

ExhibitKind = Literal["code", "prose", "page", "commits", "tree", "diagrams"]

# Characters of an exhibit's head beside title and path, and of a line beside its text and number.
HEAD_CHARACTERS, LINE_CHARACTERS = 16, 2


class Exhibit(Frozen):
    """Lines of a file at the commit, the text of a page of the PDF, or a table of our own.

    `text` is verbatim, without secrets: its first line is `location.line_start`, or line 1 of the
    page or table. `title` says in our words why it is shown. `commit_ids` are those of the rows of
    a table of commits, row by row; a row that is no commit has an empty one. `opened_by` is the
    sign of the string or comment that the first line stands in (exhibits/code_tokens.py), mostly
    none.
    """

    kind: ExhibitKind
    title: str
    location: Location
    text: str
    commit_ids: tuple[str, ...] = ()
    opened_by: str = Field("", exclude_if=lambda sign: not sign)

    @property
    def characters(self) -> int:
        """Return what it takes of the room: its text, with line numbers and head."""
        first = self.location.line_start or 1
        lines = characters_of_lines(self.text.split("\n"), first)
        return lines + characters_of_head(self.title, self.location)


class Omission(Frozen):
    """Exhibit that did not fit into the room, with its size in characters."""

    title: str
    location: Location
    characters: int


class CriterionExhibits(Frozen):
    """Exhibits of one criterion in the order in which they filled its room."""

    criterion_id: str
    exhibits: tuple[Exhibit, ...] = ()
    omitted: tuple[Omission, ...] = ()


class AskedPlaces(Frozen):
    """Exhibits of the places that a judge asked for, in the order asked.

    `refusals` are pairs of a place that is not shown and our sentence that says why.
    """

    exhibits: tuple[Exhibit, ...] = ()
    refusals: tuple[tuple[str, str], ...] = ()


def characters_of_lines(lines: list[str], first: int) -> int:
    return sum(
        len(line) + len(str(number)) + LINE_CHARACTERS
        for number, line in enumerate(lines, start=first)
    )


def characters_of_head(title: str, location: Location) -> int:
    return len(title) + len(location.path or "") + HEAD_CHARACTERS
