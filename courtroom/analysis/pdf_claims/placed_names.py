"""Names of code that a report places in a file, while another file alone defines them.

Only a method of a class, or a name that the file does not have at all, is said to be elsewhere: of a
name that the file imports, "in" may say that it is used there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claims import plain_sentences

_PLACED = re.compile(
    r"(?<![\w./])(?P<name>[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)"
    r"(?P<method>\.[a-z]\w{1,60})?(?:\(\))?(?: (?:function|method|class|helper|node))?"
    r" (?:(?:is |are )?(?:defined|implemented) )?in (?P<path>(?:[\w-]{1,60}/){0,8}[\w-]{1,60}\.py)\b"
)


@dataclass(frozen=True, slots=True)
class PlacedName:
    """Name that a page places in the file `path`, defined at `line` of the file `home` alone."""

    name: str
    path: str
    home: str
    line: int
    page: int


def misplaced_names(reading: PdfReading, sources: Mapping[str, str]) -> tuple[PlacedName, ...]:
    """Return the names that stand in another file than the report says, each once.

    `sources` are the texts of the code by path.
    """
    rows = {row.name: row for row in _misplaced(reading, sources)}
    return tuple(rows.values())


def _misplaced(reading: PdfReading, sources: Mapping[str, str]) -> Iterator[PlacedName]:
    for page, sentence in plain_sentences(reading):
        for match in _PLACED.finditer(sentence):
            name, path = match["name"], match["path"]
            files = [p for p in sources if p == path or p.endswith(f"/{path}")]
            homes = list(_definitions(name, sources))
            if len(files) != 1 or len(homes) != 1 or homes[0][0] == files[0]:
                continue
            is_used = re.search(rf"\b{name}\b", sources[files[0]]) is not None
            if match["method"] or not is_used:
                yield PlacedName(name, path, *homes[0], page)


def _definitions(name: str, sources: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    defined = re.compile(rf"^[ \t]*(?:class|(?:async )?def) {name}\b", re.MULTILINE)
    for path, text in sources.items():
        if path.endswith(".py"):
            for match in defined.finditer(text):
                yield path, text.count("\n", 0, match.end()) + 1
