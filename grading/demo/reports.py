"""PDF reports of the demo students, made from text files.

`repositories/NAME/report.md` holds paragraphs, "# " for headings and "---" between pages. A fenced
block is a diagram: one row of boxes a line, the boxes of a row separated by "|", with arrows from
every box to all boxes of the next row.
"""

from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path

from grading.demo.pdf_writer import MARGIN, PAGE_WIDTH, Arrow, Box, Page, make_pdf
from grading.demo.stories import REPOSITORIES

FENCE, PAGE_BREAK = "```", "\n---\n"
BOX_WIDTH, BOX_HEIGHT = 130, 30
LOWEST_ROW, ROW_STEP = 60, 55


def write_report(name: str, to: Path) -> Path:
    """Write the PDF of a demo repository's report; the same text gives the same bytes."""
    text = (REPOSITORIES / name / "report.md").read_text(encoding="utf-8")
    to.parent.mkdir(parents=True, exist_ok=True)
    return make_pdf(to, [_page(part) for part in text.split(PAGE_BREAK)])


def _page(text: str) -> Page:
    prose, _, fenced = text.partition(FENCE)
    diagram, _, after = fenced.partition(FENCE)
    paragraphs = [" ".join(block.split()) for block in f"{prose}\n\n{after}".split("\n\n")]
    boxes = _boxes([line.split("|") for line in diagram.strip().splitlines()])
    return Page(
        lines=list(filter(None, paragraphs)),
        boxes=[box for row in boxes for box in row],
        arrows=_arrows([len(row) for row in boxes]),
    )


def _boxes(rows: Sequence[Sequence[str]]) -> list[list[Box]]:
    """Place the boxes: rows are centred, the last row lies at the bottom of the page."""
    return [
        [_box(label, column, len(row), from_below) for column, label in enumerate(row)]
        for from_below, row in zip(reversed(range(len(rows))), rows, strict=True)
    ]


def _box(label: str, column_number: int, boxes_in_row: int, from_below: int) -> Box:
    width = (PAGE_WIDTH - 2 * MARGIN) / boxes_in_row
    x = MARGIN + width * (column_number + 0.5) - BOX_WIDTH / 2
    return Box(
        label.strip(), round(x, 1), LOWEST_ROW + ROW_STEP * from_below, BOX_WIDTH, BOX_HEIGHT
    )


def _arrows(widths: Sequence[int]) -> list[Arrow]:
    # Arrows name boxes by their index on the page, counted over all rows.
    starts = [sum(widths[:row]) for row in range(len(widths))]
    return [
        Arrow(upper + source, lower + target)
        for (upper, width), (lower, next_width) in pairwise(zip(starts, widths, strict=True))
        for source, target in product(range(width), range(next_width))
    ]
