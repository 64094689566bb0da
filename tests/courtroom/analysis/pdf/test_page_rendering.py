"""Pages rendered as pictures in a confined child: their order, size and failures."""

from __future__ import annotations

import base64
import struct
import sys
import zlib
from pathlib import Path

import pytest

from courtroom.analysis.pdf.page_rendering import (
    LONGEST_SIDE,
    MOST_PICTURES,
    PagePicture,
    page_pictures,
    png,
)
from courtroom.models.case import Limits
from tests.factories.pdfs import Image, Page, make_pdf, parallel_graph_page


def _size(picture: PagePicture) -> tuple[int, int]:
    data = base64.b64decode(picture.base64)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_file_that_is_no_pdf_has_no_pictures(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"%PDF-1.7 and nothing else")
    assert page_pictures(path, [1], Limits()) == ()


def test_missing_page_leaves_the_other_pictures(tmp_path: Path) -> None:
    pdf = make_pdf(tmp_path / "report.pdf", [Page(["One"])])
    assert [picture.page for picture in page_pictures(pdf, [7, 1], Limits())] == [1]


def test_at_most_the_limit_of_pages_is_rendered_in_request_order(tmp_path: Path) -> None:
    pdf = make_pdf(
        tmp_path / "report.pdf", [Page([str(number)]) for number in range(MOST_PICTURES + 2)]
    )
    pages = list(range(MOST_PICTURES + 2, 0, -1))
    assert [picture.page for picture in page_pictures(pdf, pages, Limits())] == pages[
        :MOST_PICTURES
    ]


def test_page_is_drawn_whole_its_longer_side_within_the_limit(tmp_path: Path) -> None:
    pdf = make_pdf(
        tmp_path / "report.pdf", [parallel_graph_page(), Page(["x"], images=[Image(400, 300)])]
    )
    sizes = [_size(picture) for picture in page_pictures(pdf, [1, 2], Limits())]
    assert [max(size) for size in sizes] == [LONGEST_SIDE, LONGEST_SIDE]
    assert all(width < height for width, height in sizes)


def test_drawing_is_rendered_and_empty_page_is_blank(tmp_path: Path) -> None:
    pdf = make_pdf(tmp_path / "report.pdf", [Page(), parallel_graph_page()])
    empty, drawn = page_pictures(pdf, [1, 2], Limits())
    assert len(drawn.base64) > len(empty.base64)


@pytest.mark.processes
def test_library_is_loaded_in_the_child_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Other tests draw in this process.
    monkeypatch.delitem(sys.modules, "pypdfium2", raising=False)
    page_pictures(make_pdf(tmp_path / "report.pdf", [Page(["One"])]), [1], Limits())
    assert "pypdfium2" not in sys.modules


def test_png_holds_its_samples_row_by_row() -> None:
    data = png(2, 2, bytes(range(12)))
    start = data.index(b"IDAT") + 4
    length = struct.unpack(">I", data[start - 8 : start - 4])[0]
    lines = b"\x00" + bytes(range(6)) + b"\x00" + bytes(range(6, 12))
    assert zlib.decompress(data[start : start + length]) == lines
