"""Files of a work that the report was made from."""

from __future__ import annotations

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.report_sources import is_report_source

NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
SENTENCES = [
    f"Each of the judges receives {number} pieces of evidence before it weighs what the detectives"
    " handed in for this criterion."
    for number in NUMBERS
]
READING = PdfReading(pages=("\n".join(SENTENCES[:5]), "\n".join(SENTENCES[5:])))


def test_script_that_holds_the_text_of_the_report_is_its_source() -> None:
    script = "\n".join(f'story.append(Paragraph("{text}"))' for text in SENTENCES)
    assert is_report_source(READING)(script)


def test_prompt_that_the_report_quotes_is_no_source_of_it() -> None:
    assert not is_report_source(READING)(f'PROMPT = "{SENTENCES[0]}"')


def test_report_of_a_few_words_has_no_source() -> None:
    assert not is_report_source(PdfReading(pages=("The judges read.",)))("The judges read.")
