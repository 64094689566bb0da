"""Read the text of scanned pages with tesseract, where that program is installed.

It is an optional program. Pages are rendered by pdfium and recognised by tesseract, each in a
confined process without a network; both read untrusted bytes.
"""

from __future__ import annotations

import base64
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from courtroom.analysis.pdf.page_rendering import MEBIBYTE, MOST_PICTURES, page_pictures
from courtroom.analysis.pdf.plain_text import plain
from courtroom.analysis.sandbox.bubblewrap import Reach
from courtroom.analysis.sandbox.sandbox import reading_limits, run_confined
from courtroom.models.errors import ChildFailed

if TYPE_CHECKING:
    from courtroom.models.case import Limits

PROGRAM = "tesseract"
# A page takes 2 to 4 s. A longer scan is read up to this page, or as far as the time goes.
MOST_PAGES = 40
MOST_SECONDS = 60
_OUTPUT_BYTES = 4 * MEBIBYTE
# Columns of tesseract's table (tesseract(1), "tsv"): a word has a confidence of 0 to 100.
_BLOCK, _PARAGRAPH, _LINE, _LEFT, _WIDTH, _HEIGHT, _CONFIDENCE, _TEXT = 2, 3, 4, 6, 8, 9, 10, 11
_COLUMNS = 12
# Heights of the words between two cells of a table; words of a text stand nearer.
_CELL_GAP = 2.5
# Words below are guesses at marks and drawings.
_MIN_CONFIDENCE = 30.0


@dataclass(frozen=True, slots=True)
class ScannedText:
    """Paragraphs of the pages, one per line, and the mean confidence of their words (0 to 1).

    The first `read` pages were looked at; the others are empty.
    """

    pages: tuple[str, ...]
    confidence: float
    read: int


@dataclass(frozen=True, slots=True)
class _Word:
    """Word with its line's place (block, paragraph, line), and its position in pixels."""

    place: tuple[str, str, str]
    text: str
    confidence: float
    left: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.left + self.width


def scanned_text(path: Path, count: int, limits: Limits) -> ScannedText | None:
    """Return the text of the first MOST_PAGES pages; None without tesseract or without a word.

    Raises ChildFailed.
    """
    program = shutil.which(PROGRAM)
    if program is None:
        return None

    words = dict(_words_by_page(program, path, count, limits))
    confidences = [word.confidence for page in words.values() for word in page]
    if not confidences:
        return None

    pages = tuple(_paragraphs(words.get(page, [])) for page in range(1, count + 1))
    return ScannedText(pages, round(fmean(confidences) / 100, 2), max(words))


def _words_by_page(
    program: str, path: Path, count: int, limits: Limits
) -> Iterator[tuple[int, list[_Word]]]:
    end = time.monotonic() + MOST_SECONDS
    for first in range(1, min(count, MOST_PAGES) + 1, MOST_PICTURES):
        for picture in page_pictures(path, _batch(first, count), limits):
            if time.monotonic() > end:
                return
            yield picture.page, list(_words(program, base64.b64decode(picture.base64), limits))


def _batch(first: int, count: int) -> range:
    return range(first, min(first + MOST_PICTURES, count + 1, MOST_PAGES + 1))


def _words(program: str, picture: bytes, limits: Limits) -> Iterator[_Word]:
    completed = run_confined(
        [program, "stdin", "stdout", "--psm", "3", "tsv"],
        limits=reading_limits(limits, output_bytes=_OUTPUT_BYTES),
        stdin=picture,
        # One thread: the limits count processor time, and the machine has other work.
        env={"OMP_THREAD_LIMIT": "1"},
        reach=Reach(reads=(Path(program),)),
    )
    if completed.returncode != 0:
        raise ChildFailed("child_died", f"{PROGRAM} stopped with code {completed.returncode}.")

    for row in completed.stdout.decode(errors="replace").splitlines()[1:]:
        cells = row.split("\t")
        if len(cells) == _COLUMNS and cells[_TEXT].strip():
            confidence = float(cells[_CONFIDENCE])
            if confidence >= _MIN_CONFIDENCE:
                place = (cells[_BLOCK], cells[_PARAGRAPH], cells[_LINE])
                box = (int(cells[column]) for column in (_LEFT, _WIDTH, _HEIGHT))
                yield _Word(place, plain(cells[_TEXT]).strip(), confidence, *box)


def _paragraphs(words: list[_Word]) -> str:
    """Return the paragraphs, one per line; items of a list and rows of a table stay apart."""
    paragraphs: list[list[_Word]] = []
    for _, group in groupby(words, key=lambda word: word.place[:2]):
        lines = [list(line) for _, line in groupby(group, key=lambda word: word.place)]
        margin = max(line[-1].right for line in lines)
        paragraphs.append(lines[0])
        for before, line in pairwise(lines):
            if _ends_on_purpose(before, line, margin):
                paragraphs.append([])
            paragraphs[-1] += line
    return "\n".join(" ".join(word.text for word in paragraph) for paragraph in paragraphs)


def _ends_on_purpose(line: list[_Word], after: list[_Word], margin: int) -> bool:
    """Return whether a line is a row of a table, or has room for the first word of the next one."""
    has_cells = any(
        word.left - before.right > _CELL_GAP * max(before.height, word.height)
        for words in (line, after)
        for before, word in pairwise(words)
    )
    space = line[-1].height / 2
    return has_cells or line[-1].right + space + after[0].width < margin
