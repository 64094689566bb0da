"""Claims that a fault makes wrong which another check has."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.unkept_claims import PATH_CHECK, unkept_claims
from courtroom.checks.pdf_paths import PdfPaths, claims_hold
from courtroom.synthesis.advice.report_steps import READ_THE_REST, RULES_AS_SAID, claim_steps
from tests.courtroom.synthesis.advised_work import work

CLAIM = "The aggregator cross-references the paths that the PDF names against the repository."
FAILING = {"why": "calls cross_reference_paths(), which is not there", "path": "d.py", "line": 7}
VAIN = {
    "kind": "other_key",
    "sentence": "it looks for evidence with 'cross_reference' in its goal",
    "path": "g.py",
    "line": 3,
}


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ({"failing_code": {"lines": [FAILING]}}, "d.py:7"),
        ({"state_flow": {"faults": [VAIN]}}, "g.py:3"),
        ({"state_flow": {"faults": [{**VAIN, "kind": "dead_route"}]}}, ""),
        ({"failing_code": {"lines": [{**FAILING, "why": "calls open_pdf()"}]}}, ""),
        ({"failing_code": None, "state_flow": None}, ""),
    ],
)
def test_check_of_paths_that_never_works_contradicts_the_report(
    code: dict[str, Any], place: str
) -> None:
    held = list(unkept_claims(PdfReading(pages=("Text.", CLAIM)), code))
    assert [(claim.claim.feature, claim.claim.page) for claim in held] == (
        [(PATH_CHECK, 2)] if place else []
    )
    assert not list(unkept_claims(PdfReading(pages=("It reads paths.",)), code))
    if held:
        finding = claims_hold(PdfPaths(id="c", goal="g", aspect="claims_hold"), held, code)
        words = f"a check of the paths that reports name (page 2, see {place})."
        assert finding.reason.startswith(f"The code contradicts 1 claim of the report: {words}")


@pytest.mark.parametrize(
    ("sentence", "is_claim"),
    [
        ("Facts rule by cross-checking judge claims against the evidence of the code.", False),
        ("It cross-checks the Defense's opinion and its claims with the record.", False),
        ("It cross-references the claims of the report with the repository.", True),
    ],
)
def test_comparison_of_what_judges_claim_is_no_check_of_paths(
    sentence: str, *, is_claim: bool
) -> None:
    code = {"failing_code": {"lines": [FAILING]}}
    assert bool([*unkept_claims(PdfReading(pages=(sentence,)), code)]) is is_claim


def test_advice_leaves_open_whether_the_code_or_the_report_changes() -> None:
    (step,) = claim_steps("claims_hold", work(pdf_claims={PATH_CHECK: "contradicted"}))
    words = "a check of the paths that reports name."
    assert step.action == f"{RULES_AS_SAID}{words} {READ_THE_REST}"
