"""The DocAnalyst: reads the report's text and answers the checks on terms and on the files it names."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.claimed_paths import claimed_paths
from courtroom.analysis.pdf_claims.concepts import NO_TEXT_LAYER, document_facts
from courtroom.detectives.detective_result import (
    CLAIM_FACTS,
    DOCUMENT_FACTS,
    PATH_FACTS,
    Claim,
    DetectiveResult,
    failed_result,
)
from courtroom.detectives.document_checks import concept, names_files, no_report
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.findings import Finding, could_not_look
from courtroom.models.errors import ExaminationFailed
from courtroom.models.record import DetectiveName, RecordedError
from courtroom.models.rubric import Check, PdfConcept, PdfPaths

NAME: DetectiveName = "DocAnalyst"


def analyse(pdf: PdfReading | ExaminationFailed | None, checks: Sequence[Check]) -> DetectiveResult:
    """Answer what the report alone can answer. `pdf` is null when none was handed in.

    Whether the files exist is for the aggregator, which has the tree: those checks are left unanswered here.
    """
    if isinstance(pdf, ExaminationFailed):
        return failed_result(NAME, checks, pdf, DOCUMENT_FACTS)
    claims = _claims(pdf) if pdf else ()
    answers = [(check, _finding_on(check, pdf, claims)) for check in checks]
    evidence, outcomes = write_down([(check, found) for check, found in answers if found])
    facts, reasons = document_facts(pdf)
    if pdf and pdf.text_layer == "none":
        reasons = {**dict.fromkeys((*PATH_FACTS, *CLAIM_FACTS), NO_TEXT_LAYER), **reasons}
    return DetectiveResult(
        detective=NAME,
        evidence=evidence,
        outcomes=outcomes,
        facts=facts,
        reasons=reasons,
        errors=_errors(pdf) if pdf else (),
        claims=None if pdf and pdf.text_layer == "none" else claims,
    )


def _claims(reading: PdfReading) -> tuple[Claim, ...]:
    return tuple(Claim(path=c.path, page=c.page, passage=c.passage) for c in claimed_paths(reading))


def _finding_on(check: Check, pdf: PdfReading | None, claims: Sequence[Claim]) -> Finding | None:
    """Null for what only the aggregator can answer."""
    if pdf is None:
        return no_report(check.goal)
    if pdf.text_layer == "none":
        return could_not_look(f"Not established: {NO_TEXT_LAYER}.")
    match check:
        case PdfConcept():
            return concept(check, pdf)
        case PdfPaths(aspect="claims_any"):
            return names_files(claims, pdf)
        case _:
            return None


def _errors(reading: PdfReading) -> tuple[RecordedError, ...]:
    unread = (
        [("pdf_no_text_layer", f"Not read: {NO_TEXT_LAYER}.")]
        if reading.text_layer == "none"
        else []
    )
    found = [*reading.errors, *unread]
    return tuple(RecordedError(stage=NAME, code=code, message=message) for code, message in found)
