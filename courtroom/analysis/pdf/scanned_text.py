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
_BLOCK, _PARAGRAPH, _CONFIDENCE, _TEXT = 2, 3, 10, 11
_COLUMNS = 12
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
    place: tuple[str, str]
    text: str
    confidence: float


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
                place = (cells[_BLOCK], cells[_PARAGRAPH])
                yield _Word(place, plain(cells[_TEXT]).strip(), confidence)


def _paragraphs(words: list[_Word]) -> str:
    paragraphs: dict[tuple[str, str], list[str]] = {}
    for word in words:
        paragraphs.setdefault(word.place, []).append(word.text)
    return "\n".join(" ".join(texts) for texts in paragraphs.values())
