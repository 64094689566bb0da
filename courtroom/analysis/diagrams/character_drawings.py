"""Find diagrams drawn with characters: names between rows of lines, in box-drawing or ASCII."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from courtroom.analysis.diagrams.character_boxes import BoxRow, box_rows, is_within_bars
from courtroom.analysis.diagrams.diagram_match import Sketch
from courtroom.analysis.diagrams.parallel_branches import is_exit

# Without the horizontal lines: labels in the source of a chart have those as well.
_BOX_CHARACTERS = re.compile(r"[\u2502\u2503\u250c-\u254b\u2551-\u2570]")
_HEAD = r"[>\u2192\u25b6\u25ba]"
_DOWN = r"vV\u2193\u25bc"
# ASCII draws only in places where sentences do not have it: "|---> name", "v v v".
_DRAWN_ROW = re.compile(
    rf"[\u2500-\u257f]|^[|+](?=\s|$|-)|--[->+|\\/]|<--|^[|{_DOWN}](?:\s[|{_DOWN}])*$"
)
_BEGINS_WITH_LINE = re.compile(rf"[|+{_DOWN}](?!\w)")
_ARROW = re.compile(rf"-{_HEAD}|<-|(?<!\w)[{_DOWN}](?!\w)")
_BRANCH = re.compile(rf"[|+\u251c\u2514]\s?[-\u2500]++{_HEAD}")
# A name before a brace on its right, which joins it with the lines above and below.
_JOINED = re.compile(
    r"\[?(?P<name>[A-Za-z]\w{2,40}(?: \w{1,40}){0,3})\]?\s?[─━-]{0,40}\s?(?P<end>[┐┤├┘╮╯┓┛])"
)
_BELOW = re.compile(r"[\u2193\u2502\u25bc\u252c\u2534|]|(?<!\w)[vV](?!\w)")
_BETWEEN_NAMES = re.compile(
    r"\([^()]*\)|\[(?=\w{1,40}\])|(?<=\w)\](?=\s|$)"
    r"|[\u2190-\u2193\u2500-\u257f\u25b2-\u25c4]|--++|[|+\\<>^]|(?<!\w)/|/(?!\w)"
)
# The number of a page, and the marks of a list whose texts stand elsewhere.
_BARE_MARKS = re.compile(r"[\d.)/ •●○▪]{1,24}")
# A file or folder in a drawn tree.
_TREE_ENTRY = re.compile(r"[│\s]*[├└]─+\s*(?:[\w.-]+/|[\w.-]*\.\w{1,5})(?:\s|$)")
# The caption of a figure, which stands below it or beyond the end of its page.
_CAPTION = re.compile(r"(?:fig(?:ure)?\.?|diagram) ?\d{1,2}\b", re.IGNORECASE)
_MIN_ROWS = 4
_MIN_LINES = 2  # rows that begin with a line; the source of a chart in a text language has none
_MIN_REPEATS = 3  # pages with the same line, numbers apart: a header or a footer
_MOST_UNDRAWN = 3  # rows of names, or the end of a page, between drawn rows


def character_sketches(
    pages: Sequence[str], headings: Collection[tuple[int, str]] = ()
) -> list[Sketch]:
    """Return the diagrams drawn with characters, each with its pages, which may break them.

    A numbered heading ends a drawing; others may be names in it.
    """
    lines = _body_lines(pages)
    drawn = [index for index, (_, line) in enumerate(lines) if _DRAWN_ROW.search(line)]
    ends = [n for n, line in enumerate(lines) if line[1][:1].isdigit() and line in headings]
    sketches = []
    for rows in _runs(drawn, ends):
        if _is_diagram([lines[index][1] for index in rows]):
            around = lines[_first_line(rows, lines) : rows[-1] + 2]
            first, last = (lines[row][0] for row in (rows[0], rows[-1]))
            drawn_lines = ["" if _CAPTION.match(line.lstrip()) else line for _, line in around]
            sketch = _sketch_of_lines(first, drawn_lines)
            sketches.append(replace(sketch, last_page=last) if last > first else sketch)
    return sketches


def _first_line(rows: Sequence[int], lines: Sequence[tuple[int, str]]) -> int:
    """Return the line before the rows, which a line may lead from, but not one before a whole box."""
    boxes = box_rows([line for _, line in lines[rows[0] : rows[-1] + 1]])
    is_box = bool(boxes) and boxes[0].first == 0
    return rows[0] if is_box else max(0, rows[0] - 1)


def _body_lines(pages: Sequence[str]) -> list[tuple[int, str]]:
    """Return the lines with their pages; headers and footers are empty."""
    lines = [(page, line) for page, text in enumerate(pages, start=1) for line in text.split("\n")]
    pages_of: dict[str, set[int]] = {}
    for page, line in lines:
        pages_of.setdefault(_without_numbers(line), set()).add(page)
    repeated = {line for line, pages in pages_of.items() if len(pages) >= _MIN_REPEATS}
    return [
        (page, "" if _row(line) and _without_numbers(line) in repeated else line)
        for page, line in lines
        if not _BARE_MARKS.fullmatch(line)
    ]


def _without_numbers(line: str) -> str:
    return re.sub(r"\d+", "", line)


def _runs(rows: Sequence[int], ends: Sequence[int]) -> list[list[int]]:
    """Return the rows of each drawing; none goes on over one of the `ends`."""
    runs: list[list[int]] = []
    for row in rows:
        last = runs[-1][-1] if runs else row
        is_next = row - last <= _MOST_UNDRAWN + 1
        if runs and is_next and not any(last < end < row for end in ends):
            runs[-1].append(row)
        else:
            runs.append([row])
    return runs


def _is_diagram(rows: Sequence[str]) -> bool:
    """Return whether the rows draw boxes or arrows, unlike a tree of files or a Markdown table."""
    files = sum(_TREE_ENTRY.match(row) is not None for row in rows)
    lines = sum(_BEGINS_WITH_LINE.match(row) is not None for row in rows)
    has_boxes = any(_BOX_CHARACTERS.search(row) for row in rows)
    has_arrows = lines >= _MIN_LINES and any(_ARROW.search(row) for row in rows)
    return len(rows) >= _MIN_ROWS and 2 * files < len(rows) and (has_boxes or has_arrows)


def _sketch_of_lines(page: int, lines: Sequence[str]) -> Sketch:
    boxes = box_rows(lines)
    free = _without_boxes(lines, boxes)
    rows = [_row(line) for line in free]
    below = (row for row, above in zip(rows[1:], lines, strict=False) if _is_branching(above))
    side_by_side = (row.names for row in boxes if row.are_branches and _is_led_to(row))
    splits = tuple(
        filter(
            _is_split,
            map(_without_exits, [*_branches(free, rows), *_joined(free), *below, *side_by_side]),
        )
    )
    for row in boxes:
        rows[row.first] = row.names
    labels = tuple(label for row in rows for label in row)
    is_chain = not splits and all(len(row) <= 1 for row in rows)
    return Sketch(page, labels, splits, is_chain, tuple(pairwise(labels)) if is_chain else ())


def _without_boxes(lines: Sequence[str], boxes: Sequence[BoxRow]) -> list[str]:
    """Return the lines, empty where they are a box or describe what is in it."""
    taken = {index for row in boxes for index in range(row.first, row.end)}
    return [
        "" if index in taken or is_within_bars(line) else line for index, line in enumerate(lines)
    ]


def _is_led_to(row: BoxRow) -> bool:
    """Return whether lines lead down to the boxes: one is enough for the parts of a single box."""
    return bool(_BELOW.search(row.above)) if row.is_parted else _leads_down(row.above)


def _leads_down(line: str) -> bool:
    """Return whether the line is a row of branches without a sentence among them."""
    return _is_branching(line) and not _row(line)


def _branches(lines: Sequence[str], rows: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield the first names of rows on end that each leave one line by an arrow."""
    first_names = [
        row[:1] if _BRANCH.match(line) else () for line, row in zip(lines, rows, strict=True)
    ]
    for is_branch, group in groupby(first_names, key=bool):
        if is_branch:
            yield tuple(name for names in group for name in names)


def _joined(lines: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the names of lines on end that a brace on their right joins, from ┐ to ┘."""
    for is_joined, group in groupby(map(_JOINED.match, lines), key=bool):
        matches = [match for match in group if match]
        if is_joined and matches[0]["end"] in "┐╮┓" and matches[-1]["end"] in "┘╯┛":
            yield tuple(match["name"] for match in matches)


def _without_exits(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names without routes for failures, which are taken instead of the branches."""
    return tuple(name for name in names if not is_exit(name))


def _is_split(names: tuple[str, ...]) -> bool:
    """Return whether there are several names; the same word on each line is about the lines."""
    return len(set(names)) >= 2


def _is_branching(line: str) -> bool:
    """Return whether the line is a row of branches or arrow heads."""
    return len(_BELOW.findall(line)) >= 2


def _row(line: str) -> tuple[str, ...]:
    words = [word.rstrip(",;:") for word in _BETWEEN_NAMES.sub(" ", line).split()]
    return tuple(word for word in words if re.match(r"[A-Za-z]\w{2,}", word))
