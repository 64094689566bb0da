"""Lines of a file beside those of an earlier attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest

from grading.report_pages.quotes import QuotedLine, quoted_lines

# Lines on either side of a citation or a change.
CONTEXT = 10
MAX_ROWS = 2_000
# Comparing takes time in the pairs of equal lines: parts with more are shown as replaced whole.
MAX_EQUAL_PAIRS = 40_000
MAX_COMPARED_LINES = 3_000
# 0-based indices of a line before and after, None where that side has none.
Pair = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of both attempts; a side is None where it has no such line.

    `kind` is same, changed, added or removed. `skipped` lines are left out above it.
    """

    before: QuotedLine | None
    after: QuotedLine | None
    kind: str
    is_cited: bool = False
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class AlignedFile:
    """Rows of a file; `rest` are the lines that are left out after them."""

    rows: tuple[Row, ...]
    rest: int = 0


def align(
    path: str,
    after: Sequence[str],
    before: Sequence[str] | None = None,
    *,
    cited: tuple[int, int] | None = None,
) -> AlignedFile:
    """Return the rows around the `cited` lines (1-based), else around every change.

    Without cited lines or a change, the whole file up to MAX_ROWS.
    """
    pairs = [(None, i) for i in range(len(after))] if before is None else _pairs(before, after)
    before = before or []
    chosen = _chosen(pairs, before, after, cited)
    quotes = _quotes(path, before, [pairs[i][0] for i in chosen])
    later_quotes = _quotes(path, after, [pairs[i][1] for i in chosen])

    rows, last = [], -1
    for position in chosen:
        old, new = pairs[position]
        rows.append(
            Row(
                before=None if old is None else quotes[old],
                after=None if new is None else later_quotes[new],
                kind="same" if not before else _kind(pairs[position], before, after),
                is_cited=bool(cited and new is not None and cited[0] <= new + 1 <= cited[1]),
                skipped=position - last - 1,
            )
        )
        last = position

    return AlignedFile(tuple(rows), len(pairs) - last - 1)


def _pairs(before: Sequence[str], after: Sequence[str]) -> list[Pair]:
    """Return all lines of both in order, equal ones beside each other."""
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    middle: list[Pair] = [
        (None if i is None else start + i, None if j is None else start + j)
        for i, j in _middle_pairs(old, new)
    ]
    head: list[Pair] = [(i, i) for i in range(start)]
    tail: list[Pair] = [(len(before) - k, len(after) - k) for k in range(end, 0, -1)]
    return [*head, *middle, *tail]


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many lines both begin with."""
    differing = (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    return next(differing, min(len(first), len(second)))


def _middle_pairs(old: Sequence[str], new: Sequence[str]) -> Iterator[Pair]:
    if not _may_compare(old, new):
        yield from zip_longest(range(len(old)), range(len(new)))
        return
    matcher = SequenceMatcher(_is_blank, old, new, autojunk=False)
    for _tag, i, i_end, j, j_end in matcher.get_opcodes():
        yield from zip_longest(range(i, i_end), range(j, j_end))


def _may_compare(old: Sequence[str], new: Sequence[str]) -> bool:
    counts = Counter(line for line in old if not _is_blank(line))
    equal_pairs = sum(counts[line] for line in new)
    return equal_pairs <= MAX_EQUAL_PAIRS and max(len(old), len(new)) <= MAX_COMPARED_LINES


def _is_blank(line: str) -> bool:
    return not line.strip()


def _kind(pair: Pair, before: Sequence[str], after: Sequence[str]) -> str:
    old, new = pair
    if old is None:
        return "added"
    if new is None:
        return "removed"
    return "same" if before[old] == after[new] else "changed"


def _chosen(
    pairs: Sequence[Pair],
    before: Sequence[str],
    after: Sequence[str],
    cited: tuple[int, int] | None,
) -> list[int]:
    """Return the positions of the pairs to show, in order."""
    if cited:
        first, last = cited
        wanted = [
            i for i, (_, new) in enumerate(pairs) if new is not None and first <= new + 1 <= last
        ]
    else:
        wanted = [
            i for i, pair in enumerate(pairs) if before and _kind(pair, before, after) != "same"
        ]
    if not wanted and not cited:
        return list(range(len(pairs)))[:MAX_ROWS]

    near: dict[int, None] = {}
    for position in wanted:
        near.update(
            dict.fromkeys(
                range(max(0, position - CONTEXT), min(len(pairs), position + CONTEXT + 1))
            )
        )
    return sorted(near)[:MAX_ROWS]


def _quotes(
    path: str, lines: Sequence[str], indices: Sequence[int | None]
) -> dict[int, QuotedLine]:
    """Return the lines at these indices, highlighted in runs, so that a string keeps its colour."""
    quotes: dict[int, QuotedLine] = {}
    present = [index for index in indices if index is not None]
    for _, run in groupby(enumerate(present), key=lambda item: item[1] - item[0]):
        numbers = [index for _, index in run]
        quoted = quoted_lines("\n".join(lines[numbers[0] : numbers[-1] + 1]), path, numbers[0] + 1)
        quotes.update(zip(numbers, quoted, strict=False))
    return quotes
