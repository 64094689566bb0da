"""Text of scanned pages: without tesseract, with it, and when it fails."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from courtroom.analysis.pdf import scanned_text
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.models.case import Limits
from tests.factories.pdfs import Image, Page, make_pdf

pytestmark = pytest.mark.processes

# Rows of seven 5-by-7 letters (L, E, T, T, E, R, S), magnified; recognition needs large print.
LETTERS = (
    "10000 11111 11111 11111 11111 11110 01111",
    "10000 10000 00100 00100 10000 10001 10000",
    "10000 10000 00100 00100 10000 10001 10000",
    "10000 11110 00100 00100 11110 11110 01110",
    "10000 10000 00100 00100 10000 10100 00001",
    "10000 10000 00100 00100 10000 10010 00001",
    "11111 11111 00100 00100 11111 10001 11110",
)
SCALE = 14


def _scan(tmp_path: Path, pages: int = 1) -> Path:
    rows = ["0000" + row.replace(" ", "00") + "0000" for row in LETTERS]
    blank = ["0" * len(rows[0])] * 4
    samples = b"".join(
        b"".join((b"\x00" if bit == "1" else b"\xff") * 3 * SCALE for bit in row) * SCALE
        for row in (*blank, *rows, *blank)
    )
    image = Image(len(rows[0]) * SCALE, (len(rows) + len(blank) * 2) * SCALE, rgb=samples)
    return make_pdf(tmp_path / "scan.pdf", [Page(images=[image])] * pages)


def _read_with(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pages: int = 1
) -> PdfReading:
    """Read a scan where `tesseract` is this shell script."""
    script = tmp_path / "tesseract"
    script.write_text(f"#!/bin/sh\n{program}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return read_pdf(_scan(tmp_path, pages), Limits())


@pytest.mark.parametrize(("most", "layer"), [(2, "scanned"), (1, "none")])
def test_scan_that_is_longer_than_the_limit_states_nothing(
    most: int, layer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanned_text, "MOST_PAGES", most)
    row = "5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t90\\tword"
    program = f"cat >/dev/null; printf 'head\\n{row}\\n'"
    reading = _read_with(program, tmp_path, monkeypatch, pages=2)
    assert (reading.text_layer, reading.pages) == (layer, (("word",) if most == 2 else ("",)) * 2)
    ((code, note),) = reading.errors
    assert (code, f"{most} of 2" in note) == ("pdf_scanned_text", True)


# (line, left, width, text): a list, a text, a table. The page is 100 wide.
LINES = {
    "list": [
        (1, 5, 40, "first.py"),
        (2, 5, 40, "second.py"),
        (3, 5, 40, "third.py"),
        (3, 50, 45, "works"),
    ],
    "text": [(1, 5, 60, "sentence"), (1, 70, 25, "that"), (2, 5, 40, "breaks")],
    "table": [(1, 5, 20, "P1"), (1, 60, 35, "High"), (2, 5, 20, "P2"), (2, 60, 35, "Low")],
}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list", "first.py\nsecond.py\nthird.py works"),
        ("text", "sentence that breaks"),
        ("table", "P1 High\nP2 Low"),
    ],
)
def test_lines_that_end_on_purpose_stay_apart(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(
        f"5\\t1\\t1\\t1\\t{line}\\t1\\t{left}\\t0\\t{width}\\t10\\t90\\t{word}\\n"
        for line, left, width, word in LINES[name]
    )
    reading = _read_with(f"cat >/dev/null; printf 'head\\n{rows}'", tmp_path, monkeypatch)
    assert reading.pages == (text,)


def test_scan_stays_unread_without_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reading = read_pdf(_scan(tmp_path), Limits())
    assert (reading.text_layer, reading.pages, reading.errors) == ("none", ("",), ())


def test_program_that_fails_leaves_the_scan_unread_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = _read_with("cat >/dev/null; exit 3", tmp_path, monkeypatch)
    assert reading.text_layer == "none"
    assert reading.errors == (("child_died", "tesseract stopped with code 3."),)


def test_program_that_reads_no_word_leaves_the_scan_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = _read_with("cat >/dev/null; echo head", tmp_path, monkeypatch)
    assert (reading.text_layer, reading.errors) == ("none", ())


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
def test_recognised_text_has_its_confidence(tmp_path: Path) -> None:
    reading = read_pdf(_scan(tmp_path), Limits())
    assert (reading.text_layer, reading.pages) == ("scanned", ("LETTERS",))
    assert 0.3 <= reading.confidence < 1
    assert [code for code, _ in reading.errors] == ["pdf_scanned_text"]
