"""Places of a submission that comments are on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from grading.core.code_locations import NamedPlace
from grading.core.enums import CommentPlace
from grading.models import Comment


@dataclass(frozen=True, slots=True)
class Place:
    """One place, made by the functions below: the whole work, a criterion, lines, or a page.

    `criterion_name` is only for words; a comment stores the name that its work's rubric has.
    """

    kind: CommentPlace
    criterion_id: str = ""
    criterion_name: str = ""
    path: str = ""
    first_line: int | None = None
    last_line: int | None = None
    page: int | None = None

    def __str__(self) -> str:
        if self.kind == CommentPlace.CRITERION:
            return f"Criterion “{self.criterion_name or self.criterion_id}”"
        if self.kind == CommentPlace.CODE:
            return str(self.as_named())
        return f"PDF page {self.page}" if self.kind == CommentPlace.PAGE else "The whole work"

    def as_named(self) -> NamedPlace:
        """Return a place of code or of the PDF as grading.core.code_locations looks it up."""
        last = None if self.last_line == self.first_line else self.last_line
        return NamedPlace(self.path or None, self.first_line, last, self.page)

    @property
    def key(self) -> str:
        """Text for ids of elements: the same for the same place."""
        return "at-" + hashlib.sha256(self.query.encode()).hexdigest()[:8]

    @property
    def query(self) -> str:
        """Query string that names the place; `read_place` in forms.py reads it."""
        given: dict[str, Any] = {
            "criterion": self.criterion_id,
            "path": self.path,
            "first": self.first_line,
            "last": self.last_line,
            "page": self.page,
        }
        return urlencode({name: value for name, value in given.items() if value})


WORK = Place(CommentPlace.WORK)


def on_criterion(criterion_id: str, name: str = "") -> Place:
    return Place(CommentPlace.CRITERION, criterion_id, name)


def on_lines(path: str, first: int, last: int | None = None) -> Place:
    """Return lines of a file, counted from 1; one line without `last`."""
    return Place(CommentPlace.CODE, path=path, first_line=first, last_line=last or first)


def on_page(page: int) -> Place:
    return Place(CommentPlace.PAGE, page=page)


def place_of(comment: Comment) -> Place:
    return Place(
        CommentPlace(comment.place),
        comment.criterion_id,
        comment.criterion_name,
        comment.path,
        comment.first_line,
        comment.last_line,
        comment.page,
    )
