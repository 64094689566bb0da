"""CSV cells and lines that a spreadsheet opens without running formulas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

# Characters that start a formula in a spreadsheet, or look like one that does (OWASP, CSV
# injection).
FORMULA_STARTS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
# A spreadsheet may split at another separator than ours, and then sees a cell in the middle of one.
SEPARATORS = ',;|"\t\r\n'
# Spreadsheets may skip blanks and invisible characters before a formula. Apostrophes are skipped
# here so that `plain_cell` takes away exactly what `safe_cell` has added.
SKIPPED = (
    "' \0\x0b\x0c\x1c-\x1f\x85\u00a0\u00ad\u1680\u180e\u2000-\u200f"
    "\u2028-\u202f\u205f-\u2064\u3000\ufeff"
)
FORMULA_AHEAD = (
    rf"(?:(?<=[{SEPARATORS}])(?=[{SKIPPED}]*[{FORMULA_STARTS}])"
    rf"|\A(?=[{SKIPPED}]*[{FORMULA_STARTS}\t\r\n]))"
)
UNMARKED, MARKED = re.compile(FORMULA_AHEAD), re.compile(f"{FORMULA_AHEAD}'")

Cell = str | float | int | None


def lines_of(rows: Iterable[Sequence[Cell]]) -> str:
    """Return the rows as CSV with CRLF (RFC 4180), every cell in quotation marks."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([safe_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def safe_cell(cell: Cell) -> str:
    """Return a cell's text, with an apostrophe before all that a spreadsheet might run."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return f"{cell:.2f}".rstrip("0").rstrip(".") if isinstance(cell, float) else str(cell)
    return UNMARKED.sub("'", cell)


def plain_cell(text: str) -> str:
    """Return the text that `safe_cell` was given, for imports of what we exported."""
    return MARKED.sub("", text)
