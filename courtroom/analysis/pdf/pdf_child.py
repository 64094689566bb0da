"""Read a PDF in the confined child process, with JSON in and out (see `sandbox.examine`).

Imports pypdf and nothing else heavy.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import pypdf

from courtroom.analysis.pdf.canvas import Canvas
from courtroom.analysis.pdf.content_operations import parsed_contents
from courtroom.analysis.pdf.drawings import drawing_of
from courtroom.analysis.pdf.non_body_text import (
    MAX_TEXTS,
    NonBodyText,
    file_texts,
    hidden_layers,
    ink_of,
    page_comments,
    paper_of,
)
from courtroom.analysis.pdf.open_pdf import open_reader, reason_of
from courtroom.analysis.pdf.page_images import drawn_images, picture_layout, size_of
from courtroom.analysis.pdf.page_text import Piece, blocks_of, in_page_order, lines_of
from courtroom.analysis.pdf.pdf_content import PdfImage, damage_of
from courtroom.analysis.pdf.plain_text import has_smuggled_characters, plain

# A picture takes up to 0.3 s, so only the first ones are analysed.
_MAX_LAYOUTS = 8

T = TypeVar("T")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of PdfReading. Raises PdfRefused.

    Keys of the request: `file` (a path), `most_pages`, `most_characters`, `most_images` and
    `seconds` (of CPU time).
    """
    return answer_content(request, Path(request["file"]).read_bytes())


def answer_content(request: dict[str, Any], content: bytes) -> dict[str, Any]:
    """Return what `answer` does, of these bytes."""
    # A page creates 10,000 short-lived objects: the collector took a tenth of the time.
    gc.set_threshold(100_000, 20, 20)
    reader = open_reader(content, int(request["most_pages"]))
    return _PageReader(reader, request).as_json() | {"damage": damage_of(content)}


class _PageReader:
    """Reads page by page, and keeps the pages read when a limit stops it."""

    def __init__(self, reader: pypdf.PdfReader, request: Mapping[str, Any]) -> None:
        self.reader = reader
        self.request = request
        self.pages: list[str] = []
        self.headings: list[tuple[int, str, float]] = []
        self.images: list[PdfImage] = []
        self.layouts: list[dict[str, Any]] = []
        self.analysed_images: set[int | None] = set()
        self.drawn: list[int] = []
        self.drawings: list[dict[str, Any]] = []
        self.invisible: list[int] = []
        self.hidden: list[tuple[int, str]] = []
        self.non_body_texts: list[NonBodyText] = []
        self.errors: list[tuple[str, str]] = []
        self.hidden_layers = self._part(
            "The PDF's layers", lambda: hidden_layers(reader), frozenset[int]()
        )

    def as_json(self) -> dict[str, Any]:
        count = len(self.reader.pages)
        for number in range(1, count + 1):
            if stop := self._reason_to_stop(number):
                self.errors.append(
                    (stop, f"Only the first {number - 1} of {count} pages were read.")
                )
                break
            self._read_page(number)

        self.non_body_texts += self._part(
            "The PDF's metadata and attachments", lambda: file_texts(self.reader), []
        )
        return {
            "hidden": self.hidden,
            "non_body_texts": self.non_body_texts,
            "pages": self.pages,
            "headings": self.headings,
            "images": [asdict(image) for image in self.images],
            "drawn_pages": self.drawn,
            "drawings": self.drawings,
            "layouts": self.layouts,
            "invisible_pages": self.invisible,
            "errors": self.errors,
            "text_layer": "text" if any(page.strip() for page in self.pages) else "none",
        }

    def _reason_to_stop(self, number: int) -> str | None:
        if number > self.request["most_pages"]:
            return "pdf_too_many_pages"
        if sum(map(len, self.pages)) > self.request["most_characters"]:
            return "pdf_too_much_text"
        return "pdf_too_slow" if time.process_time() > self.request["seconds"] else None

    def _read_page(self, number: int) -> None:
        canvas = self._part(
            f"The properties of page {number}", lambda: self._canvas(number), Canvas()
        )
        try:
            page = self.reader.pages[number - 1]
            with parsed_contents(page, self.reader):
                page.extract_text(
                    visitor_operand_before=canvas.before_operator, visitor_text=canvas.text
                )
            self._add_images(number, page, set(canvas.images))
            self.non_body_texts += page_comments(page, number)
        except Exception as error:  # noqa: BLE001 -- recorded; the other pages still count
            self.errors.append(
                (
                    "pdf_page_unreadable",
                    f"Page {number} could not be read fully: {reason_of(error)}.",
                )
            )

        self.non_body_texts += [
            (number, "replacement text", text) for text in canvas.replacement_texts[:MAX_TEXTS]
        ]
        # Hidden text must leave the canvas before the visible text and the labels are read.
        self._add_hidden(number, canvas.remove_hidden())
        self._add_text(number, canvas)
        self._add_drawing(number, canvas)

    def _canvas(self, number: int) -> Canvas:
        page = self.reader.pages[number - 1]
        return Canvas(ink=ink_of(page, self.hidden_layers), paper=paper_of(page))

    def _part(self, name: str, read: Callable[[], T], default: T) -> T:
        """Read one part; on failure record it and return the default."""
        try:
            return read()
        except Exception as error:  # noqa: BLE001 -- a broken file can fail in any way
            self.errors.append(
                ("pdf_part_unreadable", f"{name} could not be read: {reason_of(error)}.")
            )
            return default

    def _add_text(self, number: int, canvas: Canvas) -> None:
        blocks = blocks_of(in_page_order(lines_of(canvas.pieces)))
        texts = [(plain(block.text).strip(), block) for block in blocks]
        self.pages.append("\n".join(text for text, _ in texts if text))
        self.headings += [
            (number, text, round(block.size, 1)) for text, block in texts if block.heading and text
        ]
        if any(has_smuggled_characters(piece.text) for piece in canvas.pieces):
            self.invisible.append(number)

    def _add_hidden(self, number: int, pieces: list[Piece]) -> None:
        text = " ".join(plain(line.text) for line in lines_of(pieces))
        if any(character.isalnum() for character in text):
            self.hidden.append((number, text))

    def _add_drawing(self, number: int, canvas: Canvas) -> None:
        if drawing := drawing_of(number, canvas.paths, canvas.pieces):
            self.drawn.append(number)
            self.drawings.append(asdict(drawing))

    def _add_images(self, number: int, page: pypdf.PageObject, drawn: set[str]) -> None:
        for image in drawn_images(page, drawn):
            if len(self.images) < self.request["most_images"]:
                self.images.append(size_of(number, image))
                self._add_layout(self.images[-1], image)

    def _add_layout(self, size: PdfImage, image: Any) -> None:
        # Several pages may draw the same image: it is analysed once.
        number = getattr(image.indirect_reference, "idnum", None)
        if number in self.analysed_images or len(self.analysed_images) == _MAX_LAYOUTS:
            return
        self.analysed_images.add(number)
        if layout := picture_layout(size, image):
            self.layouts.append(asdict(layout))
