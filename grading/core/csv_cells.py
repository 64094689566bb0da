"""CSV cells and lines that a spreadsheet opens without running formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

# Characters that start a formula in a spreadsheet, or look like one that does (OWASP, CSV
# injection).
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


Cell = str | float | int | None


def lines_of(rows: Iterable[Sequence[Cell]]) -> str:
    """Return the rows as CSV with CRLF (RFC 4180)."""
    text = io.StringIO()
    csv.writer(text).writerows([safe_cell(cell) for cell in row] for row in rows)
    return text.getvalue()


def safe_cell(cell: Cell) -> str:
    """Return a cell's text; text that a spreadsheet might run gets a leading apostrophe."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return f"{cell:.2f}".rstrip("0").rstrip(".") if isinstance(cell, float) else str(cell)

    # Spreadsheets may skip blanks and invisible characters before a formula.
    visible = cell.lstrip(" \u00a0\u200b\ufeff")
    return (
        f"'{cell}"
        if cell.startswith(FORMULA_STARTS) or visible.startswith(FORMULA_STARTS)
        else cell
    )
