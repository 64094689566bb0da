"""Hostile PDFs through the confined reader: refused in words, or read as far as they can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.pdf.page_rendering import page_pictures
from courtroom.analysis.pdf.read_pdf import PdfReading, read_pdf
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed, PdfRefused
from tests.hostile.pdf_actions import ACTIONS
from tests.hostile.pdfs import STREAMS, STRUCTURE, HostilePdf
from tests.hostile.traps import Trap

LIMITS = Limits()
ALL = (*STRUCTURE, *STREAMS, *ACTIONS)
# What the renderer dies of in its child; of everything else it draws the page, or leaves it out.
DEADLY = {"forms_that_laugh"}


def test_there_are_as_many_as_promised() -> None:
    names = [case.name for case in ALL]
    assert (len(names) >= 70, len(names)) == (True, len(set(names)))


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_a_hostile_pdf_ends_as_expected(
    case: HostilePdf, tmp_path: Path, trap: Trap, on_trial
) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(case.bytes_for(trap))
    with on_trial("pdfs", deadline=LIMITS.child_seconds):
        reading = read_or_refused(path)
    if isinstance(reading, PdfRefused):
        assert (reading.code, reading.message[-1] in ".)") == (case.refused, True)
        return
    assert (case.refused, tuple(sorted({code for code, _ in reading.errors}))) == (
        None,
        case.errors,
    )
    assert tuple(text for _, text in reading.hidden) == case.hidden
    assert len(reading.pages) >= case.pages
    assert case.text is None or reading.pages[: case.pages] == (case.text,) * case.pages


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_a_hostile_pdf_is_drawn_or_left_out(
    case: HostilePdf, tmp_path: Path, trap: Trap, on_trial
) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(case.bytes_for(trap))
    with on_trial("pictures", deadline=LIMITS.child_seconds):
        drawn = pages_drawn(path)
    assert drawn in ([["dead"]] if case.name in DEADLY else ([], [1]))


def pages_drawn(path: Path) -> list[int | str]:
    try:
        return [picture.page for picture in page_pictures(path, [1], LIMITS)]
    except ChildFailed:
        return ["dead"]


def read_or_refused(path: Path) -> PdfReading | PdfRefused:
    try:
        return read_pdf(path, LIMITS)
    except PdfRefused as refused:
        return refused
