"""Cells and lines of a CSV file that a spreadsheet can open without running anything."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

# What a spreadsheet takes for the beginning of a formula, or for what only looks like one (OWASP, CSV injection).
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


Cell = str | float | int | None


def lines_of(rows: Iterable[Sequence[Cell]]) -> str:
    """CSV with CRLF, as RFC 4180 has it."""
    text = io.StringIO()
    csv.writer(text).writerows([harmless(cell) for cell in row] for row in rows)
    return text.getvalue()


def harmless(cell: Cell) -> str:
    """As a cell's text. What a spreadsheet might run gets an apostrophe in front; numbers are ours and stay."""
    if cell is None:
        return ""
    if not isinstance(cell, str):
        return f"{cell:.2f}".rstrip("0").rstrip(".") if isinstance(cell, float) else str(cell)
    shown = cell.lstrip(" \u00a0\u200b\ufeff")
    return f"'{cell}" if cell.startswith(FORMULA) or shown.startswith(FORMULA) else cell
