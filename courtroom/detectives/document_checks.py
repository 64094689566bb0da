"""Checks on the report's words: which terms it explains, and that it names files at all."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.concepts import use_of_term
from courtroom.detectives.detective_result import Claim
from courtroom.detectives.findings import Clue, Finding, absent, present
from courtroom.models.facts import TermUse
from courtroom.models.rubric import PdfConcept

NO_PDF = "No PDF report was handed in."
REACH: tuple[TermUse, ...] = ("absent", "mentioned", "substantive")
# How a term is used is read from the words around it, not understood.
READ_NOT_UNDERSTOOD = 0.8


def no_report(goal: str) -> Finding:
    """A required report that was not handed in is a fact about the submission."""
    return absent(NO_PDF, f"{NO_PDF} It should show: {goal}.")


def concept(check: PdfConcept, reading: PdfReading) -> Finding:
    """The report uses the term at least as far as asked; its strongest use is shown."""
    seen = use_of_term(reading, check.term)
    wanted = check.polarity == "positive"
    met = (REACH.index(seen.use) >= REACH.index(check.use)) == wanted
    if seen.passage is None:
        searched = f"Looked for {check.term!r} and its usual spellings on {len(reading.pages)} pages: it is absent."
        return absent(f"The report does not use {check.term!r}.", searched, met=met)
    reason = f"The report's use of {check.term!r} is {seen.use}."
    clue = Clue(
        rationale=reason, statement=seen.passage, page=seen.page, confidence=READ_NOT_UNDERSTOOD
    )
    return present(reason, [clue], met=met)


def names_files(claims: Sequence[Claim], reading: PdfReading) -> Finding:
    """The report names at least one path of the repository."""
    if not claims:
        searched = f"Looked for paths of files on {len(reading.pages)} pages: none is named."
        return absent("The report names no file.", searched)
    paths = len({claim.path for claim in claims})
    clues = [claim_clue(claim, f"The report names {claim.path}.") for claim in claims]
    return present(f"The report names {paths} files.", clues)


def claim_clue(claim: Claim, rationale: str) -> Clue:
    return Clue(rationale=rationale, statement=claim.passage, page=claim.page)
