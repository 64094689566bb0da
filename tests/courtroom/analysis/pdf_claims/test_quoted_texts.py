"""Texts in quotation marks that a report attributes to a file, looked up in the code."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.quoted_texts import missing_quotations
from courtroom.checks.pdf_paths import COMPARED, PdfPaths, claims_hold
from courtroom.synthesis.advice.report_steps import QUOTE_IT, READ_THE_REST, claim_steps
from tests.courtroom.surveys import CHECK_FIELDS
from tests.courtroom.synthesis.advised_work import work

CODE = (
    'PROMPT = (\n    "You judge a tribunal. Weigh each "\n    f"claim of {name} on its own."\n)\n'
)
PATHS = ["src/judges.py"]


def missing(*lines: str, paths=PATHS, headings: frozenset[tuple[int, str]] = frozenset()):
    reading = PdfReading(pages=("\n".join(lines),), headings=headings)
    return list(missing_quotations(reading, [CODE], paths))


LINE = "- src/judges.py: the system prompt of the Prosecutor says “{}”."


@pytest.mark.parametrize(
    ("quote", "is_there"),
    [
        ("Weigh each claim of the", False),
        ("You judge a tribunal. Weigh each claim of", True),
        ("you judge a tribunal … on its own", True),
        ("Weigh each claim of {who} on its own.", True),
        ("You judge a tribunal… alone and at once", False),
        ("be harsh", True),
    ],
)
def test_quotation_from_a_file_is_looked_up_in_the_code(quote, is_there):
    claims = missing(LINE.format(quote))
    assert [claim.claim.quote for claim in claims] == [] if is_there else [quote]


@pytest.mark.parametrize(
    "line",
    [
        "The system prompt of the Prosecutor says “trust nobody at all”.",
        "- src/judges.py: the Prosecutor is told “trust nobody at all”.",
        "- src/judges.py: extend the system prompt by “trust nobody at all”.",
        "- src/judges.py: the prompt was “trust nobody at all”.",
        "- src/judges.py: the prompt could say “trust nobody at all”.",
        "- src/judges.py: a prompt, e.g. “trust nobody at all”.",
    ],
    ids=["no file", "no text of code", "to do", "past", "idea", "example"],
)
def test_quotation_of_something_else_is_none_from_the_code(line):
    assert missing(line) == []


def test_quotation_in_a_plan_and_beside_prompts_in_documents_is_left_alone():
    line = LINE.format("trust nobody at all")
    assert missing("4. Future Work", line, headings=frozenset({(1, "4. Future Work")})) == []
    assert missing(line, paths=[*PATHS, "src/prompts/prosecutor.md"]) == []
    assert len(missing(line)) == 1


def test_missing_quotation_is_a_claim_that_the_code_does_not_bear_out():
    (claim,) = missing(LINE.format("trust nobody at all"))
    check = PdfPaths(**CHECK_FIELDS, aspect="claims_hold")
    finding = claims_hold(check, [claim], {})
    assert (finding.met, finding.reason.partition(f" {COMPARED}")[0]) == (
        False,
        (
            "The code contradicts 1 claim of the report:"
            " a text that it quotes from the code (“trust nobody at all”) (page 1)."
        ),
    )
    (step,) = claim_steps("claims_hold", work(pdf_claims={"quoted_text": "contradicted"}))
    assert step.action == f"{QUOTE_IT} {READ_THE_REST}"


def test_prompt_of_a_persona_is_looked_up_without_a_file():
    (held,) = missing('- Prosecutor: "You are a strict reviewer. Assume the worst."')
    assert (held.claim.quote, held.standing) == (
        "You are a strict reviewer. Assume the worst.",
        "contradicted",
    )
    assert missing("The Defense prompt says “You judge a tribunal.”") == []
    assert missing("Old prompt of the Prosecutor: “You are a strict reviewer.”") == []
