"""What an earlier report spares this audit: its dossier, as long as nothing that it rests on has changed."""

from __future__ import annotations

from courtroom.case import Case
from courtroom.detectives.testimony import Dossier
from courtroom.record import ENGINE, AuditReport, CheckOutcome


def dossier_still_holding(
    known: AuditReport | None, case: Case, commit: str, pdf_sha256: str | None
) -> Dossier | None:
    """The known report's dossier if engine, commit, PDF and rubric are the same; a failed one is examined anew."""
    if known is None or known.errors or known.engine != ENGINE:
        return None
    same = (known.commit, known.pdf_sha256, known.rubric.digest) == (commit, pdf_sha256, case.rubric.digest)
    return dossier_of(known) if same else None


def dossier_of(report: AuditReport) -> Dossier:
    """What a report rests on, as its judges and its verdict were given it."""
    outcomes = tuple(
        CheckOutcome(check=check.check, met=check.met, reason=check.reason, evidence=check.evidence)
        for criterion in report.criteria
        for check in criterion.checks
    )
    return Dossier(
        evidence=report.evidence,
        outcomes=outcomes,
        facts=report.facts,
        errors=report.errors,
        integrity=report.integrity,
    )
