"""Reports that are no account of the work today."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.report_origin import origin_of

AUDIT = [
    *("# Audit Report", "", "The bench heard every side and then gave its verdict by fixed rules."),
    *("- Overall Score: **1.00/5.00**", "", "## Criterion Breakdown", "", "## Remediation Plan"),
    *("Keep the wiring, the schemas of answers and the quoted places in one hand.", ""),
    "Then run the whole bench again on the mended work and keep what it says.",
]
PATH = "audit/self/report.md"


def _origin(*pages: str) -> str:
    return origin_of(PdfReading(pages=pages), {PATH: AUDIT, "README.md": ["Text."]}, [PATH, "a.md"])


def test_report_with_the_text_of_a_committed_audit_is_that_audit() -> None:
    pages = ("\n".join(AUDIT[:5]) + "\n1 / 2", " ".join(AUDIT[5:]))
    assert _origin(*pages) == f"The report has the text of {PATH}, an audit that the work holds."
    account = "Besides, this report tells how the work is built and why each part is as it is. "
    assert _origin(*pages, 3 * account) == ""


@pytest.mark.parametrize(
    ("page", "is_interim"),
    [
        ("Project\nInterim Report\nAda, May 2\nText.", True),
        ("Interim Architecture Report\nText.", True),
        (f"Interim Submission: The Auditor {'and more ' * 9}\nText.", True),
        (
            "Project\nFinal Report\nText.\nSince the interim report of May 2 the graph has changed a lot.",
            False,
        ),
    ],
)
def test_report_is_interim_by_its_title(page: str, is_interim: bool) -> None:
    sentence = "By its title the report is an interim one: what it puts off may be built by now."
    assert _origin(page, "More.") == (sentence if is_interim else "")


def test_final_report_beside_an_interim_one_is_named() -> None:
    reading, path = PdfReading(("Interim Report\nText.",)), "reports/final_report.md"
    sentence = origin_of(reading, {"README.md": (), path: ()}, ())
    assert sentence.endswith(f" built by now. {path} is not the report that was handed in.")
