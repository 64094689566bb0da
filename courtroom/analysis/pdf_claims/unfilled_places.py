"""Places of a report that wait for its author: requests of a template, and tables of dashes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from courtroom.analysis.pdf.pdf_content import PdfReading

# What a template asks of its author.
_TO_FILL = re.compile(
    r"\[(?:fill in|insert|paste|tbd)\b[^\[\]]{0,160}\]?"
    r"|\((?:insert|paste|fill in) (?:your|the|an?)\b[^()]{0,80}\)"
    r"|(?:\b[\w-]{1,20} ){0,8}paste (?:your |the )?results here\b|\blorem ipsum\b",
    re.IGNORECASE,
)
# A row with as many cells that hold a dash alone, and the rows that make a table of them.
_DASHES = re.compile(r"(?:^|\s)[\u2014\u2013](?:\s{1,4}[\u2014\u2013]){2,20}(?=\s|$)", re.MULTILINE)
_ROWS = 3


@dataclass(frozen=True, slots=True)
class UnfilledPlace:
    """Page and text of a request, or of the first of several rows of dashes, which `rows` counts."""

    page: int
    text: str
    rows: int = 0


def unfilled_places(reading: PdfReading) -> tuple[UnfilledPlace, ...]:
    return (*_requests(reading), *_tables(reading))


def _requests(reading: PdfReading) -> Iterator[UnfilledPlace]:
    for page, text in enumerate(reading.pages, start=1):
        for match in _TO_FILL.finditer(" ".join(text.split())):
            yield UnfilledPlace(page, match[0].strip())


def _tables(reading: PdfReading) -> Iterator[UnfilledPlace]:
    """Yield the rows of each page; a table may go on with few of them on the next one."""
    rows = [
        (page, [line for line in text.split("\n") if _DASHES.search(line)])
        for page, text in enumerate(reading.pages, start=1)
    ]
    if sum(len(lines) for _, lines in rows) >= _ROWS:
        for page, lines in rows:
            if lines:
                # Two rows may stand in one line.
                count = sum(len(_DASHES.findall(line)) for line in lines)
                yield UnfilledPlace(page, lines[0], count)
