"""Sheets: files, pages of the PDF and our own tables, as numbered lines that can be shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from courtroom.analysis.prompt_injection.repository_text import kind_of
from courtroom.analysis.security.committed_secrets import redacted
from courtroom.exhibits.code_tokens import open_at_end, open_markup
from courtroom.models.evidence import Location
from courtroom.models.exhibit import Exhibit, ExhibitKind

COMMITS, TREE, DIAGRAMS = ":commits", ":tree", ":diagrams"


@dataclass(frozen=True, slots=True)
class Sheet:
    """Lines that can be shown in part. `name` is unique: a path, or begins with a colon.

    `place` is the location of the whole sheet; `commit_ids` as in Exhibit.
    """

    name: str
    kind: ExhibitKind
    lines: Sequence[str]
    place: Location
    commit_ids: tuple[str, ...] = ()

    def location(self, first: int, last: int) -> Location:
        if self.place.path is None:
            return self.place
        return self.place.model_copy(update={"line_start": first, "line_end": last})

    def exhibit(self, first: int, last: int, title: str) -> Exhibit:
        is_table = self.place.path is None
        return Exhibit(
            kind=self.kind,
            title=title,
            location=self.location(first, last),
            text="\n".join(self.lines[first - 1 : last]),
            commit_ids=self.commit_ids[first - 1 : last] if is_table else (),
            opened_by="" if is_table else self._sign_open_before(first),
        )

    def _sign_open_before(self, line: int) -> str:
        before = "".join(f"{text}\n" for text in self.lines[: line - 1])
        return open_markup(before) if self.kind == "prose" else open_at_end(before, self.name)


def file_sheet(path: str, lines: Sequence[str], commit: str) -> Sheet:
    kind: ExhibitKind = "prose" if kind_of(path) in {"prose", "assistant"} else "code"
    return Sheet(path, kind, lines, Location(path=path, commit=commit))


def page_name(page: int) -> str:
    return f":page {page}"


def is_page(name: str) -> bool:
    return name.startswith(page_name(0)[:-1])


def page_sheets(pages: Sequence[str]) -> dict[str, Sheet]:
    """Return the sheets of the PDF's pages that hold text."""
    return {
        page_name(number): Sheet(
            page_name(number), "page", redacted(text).split("\n"), Location(page=number)
        )
        for number, text in enumerate(pages, start=1)
        if text.strip()
    }
