"""Hostile PDFs through the confined reader: refused in words, or read as far as they can be.

A dozen at a time share a child (many_files.py); those that exhaust it have one of their own.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.pdf import page_rendering, scanned_text
from courtroom.analysis.pdf import read_pdf as reading_module
from courtroom.analysis.pdf.page_rendering import page_pictures
from courtroom.analysis.pdf.read_pdf import PdfReading, read_pdf
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed, PdfRefused
from tests.hostile.many_files import read_together
from tests.hostile.pdf_actions import ACTIONS
from tests.hostile.pdfs import STREAMS, STRUCTURE, HostilePdf
from tests.hostile.traps import Trap

LIMITS = Limits()
ALL = (*STRUCTURE, *STREAMS, *ACTIONS)
# What the renderer dies of in its child; of everything else it draws the page, or leaves it out.
DEADLY = {"forms_that_laugh"}
# Each in a child of its own, as the product reads it.
EXHAUSTING = {"bomb_of_blanks", "bomb_in_a_bomb", "bomb_of_text", "text_of_3_million", *DEADLY}
Group = tuple[HostilePdf, ...]
OTHERS = [case for case in ALL if case.name not in EXHAUSTING]
GROUPS: list[Group] = [
    *(tuple(OTHERS[start : start + 12]) for start in range(0, len(OTHERS), 12)),
    *((case,) for case in ALL if case.name in EXHAUSTING),
]


def test_there_are_as_many_as_promised() -> None:
    names = [case.name for case in ALL]
    assert (len(names) >= 70, len(names)) == (True, len(set(names)))


@pytest.fixture
def paths(group: Group, tmp_path: Path, trap: Trap) -> list[Path]:
    for case in group:
        (tmp_path / f"{case.name}.pdf").write_bytes(case.bytes_for(trap))
    return [tmp_path / f"{case.name}.pdf" for case in group]


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0].name)
def test_a_hostile_pdf_ends_as_expected(
    group: Group, paths: list[Path], on_trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Pages without text would be read from their pictures, but only where tesseract is installed.
    monkeypatch.setattr(scanned_text, "PROGRAM", "no-such-program")
    with on_trial("pdfs", deadline=LIMITS.child_seconds, cases=len(group)):
        outcomes = read_together(reading_module, read_or_refused, paths)
    for case, outcome in zip(group, outcomes, strict=True):
        assert is_as_expected(case, outcome), (case.name, outcome)


def is_as_expected(case: HostilePdf, outcome: PdfReading | PdfRefused) -> bool:
    if isinstance(outcome, PdfRefused):
        return (outcome.code, outcome.message[-1] in ".)") == (case.refused, True)
    codes = tuple(sorted({code for code, _ in outcome.errors}))
    hidden = tuple(text for _, text in outcome.hidden)
    return (
        (case.refused, codes, hidden) == (None, case.errors, case.hidden)
        and len(outcome.pages) >= case.pages
        and (case.text is None or outcome.pages[: case.pages] == (case.text,) * case.pages)
    )


@pytest.mark.parametrize("group", GROUPS, ids=lambda group: group[0].name)
def test_a_hostile_pdf_is_drawn_or_left_out(group: Group, paths: list[Path], on_trial) -> None:
    with on_trial("pictures", deadline=LIMITS.child_seconds, cases=len(group)):
        drawn = read_together(page_rendering, pages_drawn, paths)
    for case, pages in zip(group, drawn, strict=True):
        assert pages in ([["dead"]] if case.name in DEADLY else ([], [1])), case.name


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
