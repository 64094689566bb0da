"""Exhibits: the parts of the work that the judges of one criterion read."""

from __future__ import annotations

from typing import Literal

from courtroom.models.evidence import Location
from courtroom.models.frozen_record import Frozen

ExhibitKind = Literal["code", "prose", "page", "commits", "tree"]


class Exhibit(Frozen):
    """Lines of a file at the commit, the text of a page of the PDF, or a table of our own.

    `text` is verbatim, without secrets: its first line is `location.line_start`, or line 1 of the
    page or table. `title` says in our words why it is shown. `commit_ids` are those of the rows of
    a table of commits, row by row; a row that is no commit has an empty one.
    """

    kind: ExhibitKind
    title: str
    location: Location
    text: str
    commit_ids: tuple[str, ...] = ()


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
