"""Passages of the report for judges by a model: those that rank highest for each criterion.

They answer no check and change no outcome; a judge may cite them. A report that addresses the
graders is left out whole: its text reaches a judge only as evidence of checks, where it was cut.
"""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.passages import Passages
from courtroom.checks.registry import reads_report
from courtroom.checks.result import INFERRED
from courtroom.detectives.detective_result import Dossier
from courtroom.models.evidence import Evidence, Location, evidence
from courtroom.models.rubric import Criterion, Rubric

# Passages for a criterion: checks on the report bring evidence of their own.
BESIDE_CHECKS, WITHOUT_CHECKS = 1, 3


def with_passages(dossier: Dossier, rubric: Rubric, pdf: object) -> Dossier:
    """The dossier with these passages at its end.

    It stays as it is where it has them already, and where there is no report to take them from.
    """
    names = {criterion.passages for criterion in rubric.criteria}
    has_them = any(item.check in names for item in dossier.evidence)
    if has_them or dossier.integrity.suspected or not isinstance(pdf, PdfReading):
        return dossier

    passages = Passages(pdf)
    added = [item for criterion in rubric.criteria for item in _best(criterion, passages)]
    return dossier.model_copy(update={"evidence": (*dossier.evidence, *added)})


def _best(criterion: Criterion, passages: Passages) -> Iterator[Evidence]:
    has_report_checks = any(map(reads_report, criterion.checks))
    if criterion.checks and not has_report_checks:
        return

    query = f"{criterion.name} {criterion.success_pattern or criterion.instruction}"
    for passage in passages.search(
        query, most=BESIDE_CHECKS if criterion.checks else WITHOUT_CHECKS
    ):
        yield evidence(
            detective="DocAnalyst",
            check=criterion.passages,
            goal=f"What the report says on: {criterion.name}",
            found=True,
            content=" ".join(passage.text.split()),
            location=Location(page=passage.page),
            rationale="It ranks among the report's best passages for the words of this criterion.",
            confidence=INFERRED,
        )
