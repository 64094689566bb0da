"""Explanation of every score as plain text: the steps that the verdict records, in their words."""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.models.audit_report import AuditReport, CriterionResult


def explain(report: AuditReport) -> str:
    return "\n".join(_lines(report)) + "\n"


def _lines(report: AuditReport) -> Iterator[str]:
    for number, criterion in enumerate(report.criteria, start=1):
        yield f"{number}. {' '.join(criterion.name.split())}: {_score(criterion)}"
        yield from (f"   {step.sentence}" for step in criterion.steps)
        yield ""
    overall = "no score" if report.overall_score is None else f"{report.overall_score:.1f} of 5"
    yield f"Overall: {overall}"
    yield from (f"   {step.sentence}" for step in report.steps)
    if report.next_steps:
        yield ""
        yield "What to do next"
    for number, step in enumerate(report.next_steps, start=1):
        yield f"   {number}. {step.sentence}"


def _score(criterion: CriterionResult) -> str:
    if criterion.excluded:
        return "excluded"
    return "no score" if criterion.final_score is None else f"{criterion.final_score} of 5"
