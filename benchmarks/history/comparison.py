"""Stored times of pages, and the comparison of two sizes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

RESULT = "pages.json"
# Rows of the table, and the goal.
SHOWN, MOST = 12, 2


@dataclass(frozen=True, slots=True)
class PageTime:
    """Seconds of the processor: in Python, in PostgreSQL. `blocks` of 8 kB were read or found in
    its memory.
    """

    person: str
    page: str
    python: float
    database: float
    queries: int
    blocks: int


def store(folder: Path, rows: Iterable[PageTime]) -> None:
    text = json.dumps([asdict(row) for row in rows], indent=1)
    (folder / RESULT).write_text(text, encoding="utf-8")


def compare(few: Path, many: Path) -> None:
    """Print the pages whose queries grew most, as a table in Markdown, and how many grew how far."""
    before, after = (_stored(folder) for folder in (few, many))
    keys = [key for key in before.keys() & after.keys() if before[key].queries]
    pairs = [(before[key], after[key]) for key in keys]
    pairs.sort(key=_growth, reverse=True)
    print("| page | queries, ms | | blocks of 8 kB | |\n|---|---|---|---|---|")
    for small, large in pairs[:SHOWN]:
        print(
            f"| {small.person} `{small.page}` | {1000 * small.database:.1f} | {1000 * large.database:.1f} "
            f"| {small.blocks} | {large.blocks} |"
        )
    ratios = [_growth(pair) for pair in pairs]
    print(
        f"{len(pairs)} pages: their queries took {median(ratios):.2f} times as long in the median, "
        f"{ratios[0]:.2f} at most; {sum(ratio > MOST for ratio in ratios)} took more than {MOST} times"
    )


def _growth(pair: tuple[PageTime, PageTime]) -> float:
    one, other = pair
    return other.database / one.database


def _stored(folder: Path) -> dict[tuple[str, str], PageTime]:
    rows = [PageTime(**row) for row in json.loads((folder / RESULT).read_text(encoding="utf-8"))]
    return {(row.person, row.page): row for row in rows}
