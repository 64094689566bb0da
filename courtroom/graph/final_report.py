"""Last node of every audit: the Chief Justice's verdict, or the degraded report, as one record."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from courtroom.detectives.detective_result import Dossier
from courtroom.graph.nodes import AuditNodes, answers_of
from courtroom.graph.state import AgentState
from courtroom.judges.budget import total_usage
from courtroom.judges.judge_inputs import JudgeAnswer
from courtroom.models.audit_report import AuditReport, RecordedError, RubricReference, Usage
from courtroom.models.judge_answer import JudicialOpinion
from courtroom.replay.resynthesis import constitution_reference
from courtroom.synthesis import chief_justice


def write_report(nodes: AuditNodes, state: AgentState) -> dict[str, Any]:
    """Return the report, a pure function of evidence, opinions and rules.

    Without enough evidence no judge answered: then no criterion has a score and each says why.
    """
    begin = perf_counter()
    dossier, answers = Dossier.model_validate(state["dossier"]), answers_of(state)
    verdict = chief_justice.synthesise(
        rubric=nodes.case.rubric,
        constitution=nodes.case.constitution,
        evidence=dossier.evidence,
        outcomes=dossier.outcomes,
        facts=dossier.facts,
        opinions=answers,
    )
    errors = (*dossier.errors, *_removed_citations(answers))
    report = _report(nodes, state, dossier, verdict, errors)

    timings = {**state.get("timings", {}), "ChiefJustice": perf_counter() - begin}
    rounded = {stage: round(seconds, 4) for stage, seconds in timings.items()}
    return {"report": report.model_copy(update={"timings": rounded}).sealed().as_json()}


def _report(
    nodes: AuditNodes,
    state: AgentState,
    dossier: Dossier,
    verdict: chief_justice.Verdict,
    errors: tuple[RecordedError, ...],
) -> AuditReport:
    case, inputs = nodes.case, nodes.inputs
    return AuditReport(
        repo_url=case.repo_url,
        commit=inputs.snapshot.commit,
        ref=case.ref,
        pdf_sha256=inputs.pdf_sha256,
        rubric=RubricReference(
            id=case.rubric.id, version=case.rubric.version, digest=case.rubric.digest
        ),
        constitution=constitution_reference(case.constitution),
        judges=nodes.bench.references,
        status=verdict.status,
        overall_score=verdict.overall_score,
        points=verdict.points,
        criteria=verdict.criteria,
        evidence=dossier.evidence,
        facts=dossier.facts,
        integrity=dossier.integrity,
        errors=errors,
        usage=total_usage([Usage.model_validate(row) for row in _usage_rows(state)]),
        timings={},
    )


def _removed_citations(answers: Sequence[JudgeAnswer]) -> list[RecordedError]:
    opinions = (answer for answer in answers if isinstance(answer, JudicialOpinion))
    count = sum(opinion.invented_citations for opinion in opinions)
    if not count:
        return []
    message = f"{count} citations of evidence that no judge was shown were removed."
    return [RecordedError(stage="judge_collector", code="citations_removed", message=message)]


def _usage_rows(state: AgentState) -> list[dict[str, Any]]:
    """Return the usage of every call: the judges', and those of a detective that asked a model."""
    detectives = [result["usage"] for result in state.get("detective_results", {}).values()]
    return [*detectives, *state.get("usage", [])]
