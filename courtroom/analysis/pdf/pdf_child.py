"""The confined child that opens a PDF. Imports pypdf and nothing else heavy; speaks plain JSON (see sandbox.examine).

pypdf's limits are tightened: with them every hostile file of a set of 76 stopped within 0.4 s and 60 MB,
while a 240-page report of 22 MB still read fully.
"""

from __future__ import annotations

import gc
import logging
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import pypdf
from pypdf.errors import DependencyError, FileNotDecryptedError, LimitReachedError

from courtroom.analysis.pdf.canvas import Canvas
from courtroom.analysis.pdf.drawings import drawing_of
from courtroom.analysis.pdf.non_body_text import (
    MOST_MARGINS,
    beside_the_pages,
    comments_on,
    ink_of,
    layers_switched_off,
    paper_of,
)
from courtroom.analysis.pdf.page_images import drawn_images, picture_layout, size_of
from courtroom.analysis.pdf.page_text import Piece, blocks_of, lines_of
from courtroom.analysis.pdf.pdf_content import PdfImage
from courtroom.analysis.pdf.plain_text import carries_invisible, plain
from courtroom.models.errors import PdfRefused

MEBIBYTE = 1024 * 1024
_TIGHTENED = pypdf.Configuration(
    array_based_stream_maximum_output_length=10 * MEBIBYTE,
    zlib_maximum_output_length=10 * MEBIBYTE,
    lzw_maximum_output_length=10 * MEBIBYTE,
    run_length_maximum_output_length=10 * MEBIBYTE,
    brotli_maximum_output_length=10 * MEBIBYTE,
    stream_decoding_work_maximum_length=50 * MEBIBYTE,
    stream_parsing_work_maximum_count=200_000,
    page_tree_maximum_entries=2000,
    xform_maximum_invocations_per_extraction=500,
    image_maximum_buffer_size=50 * MEBIBYTE,
    jbig2dec_binary=None,
    disable_legacy_handling=True,
)
_TOO_MANY = "page tree entry limit"  # as pypdf says which of its limits was reached
_ADDRESS = re.compile(r",? ?(\b0x[0-9a-f]{6,}|\b[0-9]{12,})")
# Pictures beyond these are not looked into: each takes about 0.1 s.
_MOST_LAYOUTS = 8

T = TypeVar("T")


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """`task` probe: how many `pages`, or PdfRefused. `task` read: the fields of PdfReading as JSON.

    Other keys: file (a path), most_pages, and for read most_characters, most_images, seconds (of
    processor time).
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    gc.set_threshold(
        100_000, 20, 20
    )  # a page makes 10,000 short-lived objects; a tenth of the time went here
    pypdf.overwrite_configuration(_TIGHTENED)
    reader = _opened(Path(request["file"]), int(request["most_pages"]))
    if request["task"] == "probe":
        return _probed(reader, int(request["most_pages"]))
    return _Reading(reader, request).as_json()


def _opened(file: Path, most_pages: int) -> pypdf.PdfReader:
    try:
        reader = pypdf.PdfReader(BytesIO(file.read_bytes()))
        locked = reader.is_encrypted and not reader.decrypt("")
        if not locked:
            len(reader.pages)  # walks the page tree, where broken files break
    except (FileNotDecryptedError, DependencyError):
        locked = True
    except LimitReachedError as error:
        if _TOO_MANY not in str(error):
            raise _broken(error) from error
        many = f"The PDF has some {_TIGHTENED.page_tree_maximum_entries} pages or more"
        raise PdfRefused("pdf_too_many_pages", f"{many}; {most_pages} are read at most.") from error
    except Exception as error:
        raise _broken(error) from error
    if locked:
        raise PdfRefused(
            "pdf_encrypted", "The PDF is encrypted. Hand in one that opens without a password."
        )
    return reader


def _broken(error: Exception) -> PdfRefused:
    return PdfRefused(
        "pdf_unreadable", f"The PDF is damaged or incomplete: export it again. ({_why(error)})"
    )


def _probed(reader: pypdf.PdfReader, most_pages: int) -> dict[str, Any]:
    count = len(reader.pages)
    if count > most_pages:
        raise PdfRefused(
            "pdf_too_many_pages", f"The PDF has {count} pages; {most_pages} are read at most."
        )
    return {"pages": count}


def _why(error: Exception) -> str:
    """In the library's words, without the memory addresses it may tell: a report is the same on every run."""
    told = _ADDRESS.sub("", plain(str(error)))
    words = " ".join(told.split())[:160].rstrip(".")
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


class _Reading:
    """Reads page by page and keeps what there is when a limit stops it."""

    def __init__(self, reader: pypdf.PdfReader, request: Mapping[str, Any]) -> None:
        self.reader = reader
        self.request = request
        self.pages: list[str] = []
        self.headings: list[tuple[int, str]] = []
        self.images: list[PdfImage] = []
        self.layouts: list[dict[str, Any]] = []
        self.looked_into: set[int | None] = set()
        self.drawn: list[int] = []
        self.drawings: list[dict[str, Any]] = []
        self.invisible: list[int] = []
        self.hidden: list[tuple[int, str]] = []
        self.margins: list[tuple[int, str, str]] = []
        self.errors: list[tuple[str, str]] = []
        self.layers = self._part(
            "Its layers", lambda: layers_switched_off(reader), frozenset[int]()
        )
        self.has_paths = False

    def as_json(self) -> dict[str, Any]:
        count = len(self.reader.pages)
        for number in range(1, count + 1):
            if stop := self._reason_to_stop(number):
                self.errors.append(
                    (stop, f"Only the first {number - 1} of {count} pages were read.")
                )
                break
            self._read(number)
        self.margins += self._part(
            "What stands beside its pages", lambda: beside_the_pages(self.reader), []
        )
        return {
            "hidden": self.hidden,
            "margins": self.margins,
            "pages": self.pages,
            "headings": self.headings,
            "images": [asdict(image) for image in self.images],
            "drawn_pages": self.drawn,
            "drawings": self.drawings,
            "layouts": self.layouts,
            "invisible_pages": self.invisible,
            "errors": self.errors,
            "text_layer": self._text_layer(),
        }

    def _reason_to_stop(self, number: int) -> str | None:
        if number > self.request["most_pages"]:
            return "pdf_too_many_pages"
        if sum(map(len, self.pages)) > self.request["most_characters"]:
            return "pdf_too_much_text"
        return "pdf_too_slow" if time.process_time() > self.request["seconds"] else None

    def _read(self, number: int) -> None:
        canvas = self._part(f"The setting of page {number}", lambda: self._canvas(number), Canvas())
        try:
            page = self.reader.pages[number - 1]
            page.extract_text(
                visitor_operand_before=canvas.before_operator, visitor_text=canvas.text
            )
            self._note_images(number, page, set(canvas.images))
            self.margins += comments_on(page, number)
        except Exception as error:  # noqa: BLE001 -- one broken page must not cost the others; it is on the record
            self.errors.append(
                ("pdf_page_unreadable", f"Page {number} could not be read fully: {_why(error)}.")
            )
        self.margins += [
            (number, "replacement text", text) for text in canvas.spoken[:MOST_MARGINS]
        ]
        self._note_hidden(number, canvas.part_hidden())
        self._note_text(number, canvas)
        self._note_drawing(number, canvas)

    def _canvas(self, number: int) -> Canvas:
        page = self.reader.pages[number - 1]
        return Canvas(ink=ink_of(page, self.layers), paper=paper_of(page))

    def _part(self, what: str, read: Callable[[], T], otherwise: T) -> T:
        """A part whose loss is on the record and costs nothing else."""
        try:
            return read()
        except Exception as error:  # noqa: BLE001 -- whatever a broken file breaks
            self.errors.append(("pdf_part_unreadable", f"{what} could not be read: {_why(error)}."))
            return otherwise

    def _note_text(self, number: int, canvas: Canvas) -> None:
        blocks = blocks_of(lines_of(canvas.pieces))
        texts = [(plain(block.text).strip(), block.heading) for block in blocks]
        self.pages.append("\n".join(text for text, _ in texts if text))
        self.headings += [(number, text) for text, heading in texts if heading and text]
        if any(carries_invisible(piece.text) for piece in canvas.pieces):
            self.invisible.append(number)

    def _note_hidden(self, number: int, pieces: list[Piece]) -> None:
        text = " ".join(plain(line.text) for line in lines_of(pieces))
        if any(character.isalnum() for character in text):
            self.hidden.append((number, text))

    def _note_drawing(self, number: int, canvas: Canvas) -> None:
        self.has_paths = self.has_paths or bool(canvas.paths)
        if drawing := drawing_of(number, canvas.paths, canvas.pieces):
            self.drawn.append(number)
            self.drawings.append(asdict(drawing))

    def _note_images(self, number: int, page: pypdf.PageObject, drawn: set[str]) -> None:
        for image in drawn_images(page, drawn):
            if len(self.images) < self.request["most_images"]:
                self.images.append(size_of(number, image))
                self._note_layout(self.images[-1], image)

    def _note_layout(self, size: PdfImage, image: Any) -> None:
        """Once for an image that several pages draw."""
        number = getattr(image.indirect_reference, "idnum", None)
        if number in self.looked_into or len(self.looked_into) == _MOST_LAYOUTS:
            return
        self.looked_into.add(number)
        if layout := picture_layout(size, image):
            self.layouts.append(asdict(layout))

    def _text_layer(self) -> str:
        if any(page.strip() for page in self.pages):
            return "text"
        return "none" if self.images or self.has_paths or self.errors else "empty"
