"""The DocAnalyst: reads the report's text and answers the checks on its terms and files."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.claimed_paths import claimed_paths
from courtroom.analysis.pdf_claims.concepts import document_facts
from courtroom.checks.from_report import as_read, no_report
from courtroom.checks.registry import Check, kind_of, unknown_kind
from courtroom.checks.result import Finding
from courtroom.checks.sources import Sources
from courtroom.detectives.detective_result import (
    CLAIM_FACTS,
    DOCUMENT_FACTS,
    NAME_FACTS,
    PATH_FACTS,
    Claim,
    DetectiveResult,
    failed_result,
)
from courtroom.detectives.evidence_writer import write_down
from courtroom.models.audit_report import RecordedError
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import DetectiveName

NAME: DetectiveName = "DocAnalyst"


def analyse(pdf: PdfReading | ExaminationFailed | None, checks: Sequence[Check]) -> DetectiveResult:
    """Answer what the report alone can answer. `pdf` is null when none was handed in.

    The aggregator has the tree, so checks on the existence of files are left unanswered here, and
    all checks of a report without a character.
    """
    if isinstance(pdf, ExaminationFailed):
        return failed_result(NAME, checks, pdf, DOCUMENT_FACTS)

    claims = _claims(pdf) if pdf else ()
    findings = [(check, _finding(check, pdf, claims)) for check in checks]
    evidence, outcomes = write_down([(check, finding) for check, finding in findings if finding])

    facts, reasons = document_facts(pdf)
    unread = pdf.unread if pdf else ""
    if unread:
        reasons = dict.fromkeys((*PATH_FACTS, *NAME_FACTS, *CLAIM_FACTS), unread) | reasons
    return DetectiveResult(
        detective=NAME,
        evidence=evidence,
        outcomes=outcomes,
        facts=facts,
        reasons=reasons,
        errors=_errors(pdf) if pdf else (),
        # Null, not empty: nobody knows what the report claims.
        claims=None if unread else claims,
    )


def _claims(reading: PdfReading) -> tuple[Claim, ...]:
    claims = claimed_paths(reading)
    return tuple(
        Claim(path=c.path, page=c.page, passage=c.passage, is_of_plan=c.is_of_plan) for c in claims
    )


def _finding(check: Check, pdf: PdfReading | None, claims: Sequence[Claim]) -> Finding | None:
    """Null for what only the aggregator can answer."""
    if pdf is None:
        return no_report(check.goal)
    if pdf.unread:
        return None
    kind = kind_of(check)
    if kind is None:
        return unknown_kind(check)
    finding = kind.detect(check, Sources(report=pdf, claims=claims))
    return as_read(finding, pdf.confidence) if finding else None


def _errors(reading: PdfReading) -> tuple[RecordedError, ...]:
    errors = list(reading.errors)
    if reading.unread:
        errors.append(("pdf_no_text", reading.unread))
    return tuple(RecordedError(stage=NAME, code=code, message=message) for code, message in errors)
