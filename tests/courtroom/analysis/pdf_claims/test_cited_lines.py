"""Lines of a file that a report gives as the place of a part."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.cited_lines import misplaced_lines
from courtroom.checks.pdf_paths import COMPARED, PdfPaths, claims_hold
from courtroom.synthesis.advice.report_steps import NAME_THE_LINES, READ_THE_REST, claim_steps
from tests.courtroom.synthesis.advised_work import work

FILE = "\n".join(
    [
        *["import os"] * 9,
        "def page_reader(",
        "    pages,",
        "):",
        *["    pages.sort()"] * 18,
        "",
        "LIMIT = 3",
        "def page_reader_twice(pages):",
        "    return pages",
    ]
)
SOURCES = {"": "src/nodes.py", "src/nodes.py": FILE}


def places(line: str, sources: dict[str, str] = SOURCES) -> list[str]:
    return [held.claim.quote for held in misplaced_lines(PdfReading(pages=(line,)), sources)]


@pytest.mark.parametrize(
    "line",
    [
        "PageReader (src/nodes.py, lines 60-90) reads.",
        "The page_reader function (nodes.py:1-12) reads.",
        "PageReader added (src/nodes.py, lines 24\u201340): it reads.",
    ],
)
def test_part_that_stands_elsewhere_in_its_file_is_named_with_its_lines(line: str) -> None:
    (place,) = places(line)
    assert place.endswith(" is in lines 10 to 30 of src/nodes.py")


@pytest.mark.parametrize(
    "line",
    [
        "PageReader (src/nodes.py, lines 12-34) has moved by a few lines.",
        "PageReader (src/nodes.py, lines 14-18) sorts there.",
        "PageReader (src/nodes.py, lines 1-90) is somewhere there.",
        "PageReader (src/nodes.py, line 80) is one line.",
        "The old PageReader (src/nodes.py, lines 60-90) read.",
        "PageWriter (src/nodes.py, lines 60-90) writes.",
        "PageReader (src/other.py, lines 60-90) reads.",
        "Calls to PageReader in it (src/nodes.py, lines 60-90) fail.",
    ],
)
def test_place_that_may_be_meant_so_is_not_wrong(line: str) -> None:
    assert places(line) == []


def test_part_that_is_defined_twice_has_no_known_place() -> None:
    twice = {"src/nodes.py": f"{FILE}\n\ndef page_reader():\n    return 1"}
    assert places("PageReader (src/nodes.py, lines 60-90) reads.", twice) == []


def test_wrong_lines_contradict_the_report_and_are_to_be_corrected() -> None:
    reading = PdfReading(pages=("PageReader (src/nodes.py, lines 60-90) reads.",))
    held = list(misplaced_lines(reading, SOURCES))
    finding = claims_hold(PdfPaths(id="c", goal="g", aspect="claims_hold"), held, {})
    assert finding.reason.partition(f" {COMPARED}")[0] == (
        "The code contradicts 1 claim of the report: the"
        " lines of a part, as PageReader is in lines 10 to 30 of src/nodes.py (page 1)."
    )
    (step,) = claim_steps("claims_hold", work(pdf_claims={"cited_lines": "contradicted"}))
    assert step.action == f"{NAME_THE_LINES} {READ_THE_REST}"
