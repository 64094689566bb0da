"""The report's own words for judges by a model: the passages that rank highest for each criterion that it bears on.

They answer no check and change no outcome; a judge may cite them. A report in which somebody speaks to the graders is
left out whole: its words reach a judge only as evidence of checks, where such words were cut.
"""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.passages import Passages
from courtroom.checks.from_report import READ_NOT_UNDERSTOOD
from courtroom.checks.registry import reads_report
from courtroom.detectives.detective_result import Dossier
from courtroom.models.record import Evidence, Location, evidence
from courtroom.models.rubric import Criterion, Rubric

BESIDE_CHECKS, WITHOUT_CHECKS = 1, 3


def with_passages(dossier: Dossier, rubric: Rubric, pdf: object) -> Dossier:
    """The dossier with these passages at its end; as it is where it has them, or there is nothing to take them from."""
    names = {criterion.passages for criterion in rubric.criteria}
    has_them = any(item.check in names for item in dossier.evidence)
    if has_them or dossier.integrity.suspected or not isinstance(pdf, PdfReading):
        return dossier
    passages = Passages(pdf)
    found = [item for criterion in rubric.criteria for item in _best(criterion, passages)]
    return dossier.model_copy(update={"evidence": (*dossier.evidence, *found)})


def _best(criterion: Criterion, passages: Passages) -> Iterator[Evidence]:
    asks_of_report = any(map(reads_report, criterion.checks))
    if criterion.checks and not asks_of_report:
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
            rationale="Of the report's passages it ranks among the highest for the words of this criterion.",
            confidence=READ_NOT_UNDERSTOOD,
        )
