"""The last node of every audit: the Chief Justice, or the degraded report when nothing could be judged."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from courtroom.detectives.detective_result import Dossier
from courtroom.graph.nodes import Court, heard
from courtroom.graph.state import AgentState
from courtroom.judges.budget import total_usage
from courtroom.judges.judge_inputs import JudgeAnswer
from courtroom.models.record import (
    AuditReport,
    JudicialOpinion,
    RecordedError,
    RubricReference,
    Usage,
)
from courtroom.replay.resynthesis import reference_to
from courtroom.synthesis import chief_justice


def deliver(court: Court, state: AgentState) -> dict[str, Any]:
    """The report: a pure function of evidence, opinions and rules.

    Without enough evidence nobody was heard: then no criterion has a score and each says why.
    """
    begin, dossier, said = perf_counter(), Dossier.model_validate(state["dossier"]), heard(state)
    verdict = chief_justice.synthesise(
        rubric=court.case.rubric,
        constitution=court.case.constitution,
        evidence=dossier.evidence,
        outcomes=dossier.outcomes,
        facts=dossier.facts,
        opinions=said,
    )
    report = _report(court, state, dossier, verdict, (*dossier.errors, *_invented(said)))
    timings = {**state.get("timings", {}), "ChiefJustice": perf_counter() - begin}
    rounded = {stage: round(seconds, 4) for stage, seconds in timings.items()}
    return {"report": report.model_copy(update={"timings": rounded}).sealed().as_json()}


def _report(
    court: Court,
    state: AgentState,
    dossier: Dossier,
    verdict: chief_justice.Verdict,
    errors: tuple[RecordedError, ...],
) -> AuditReport:
    case, exhibits = court.case, court.exhibits
    return AuditReport(
        repo_url=case.repo_url,
        commit=exhibits.snapshot.commit,
        ref=case.ref,
        pdf_sha256=exhibits.pdf_sha256,
        rubric=RubricReference(
            id=case.rubric.id, version=case.rubric.version, digest=case.rubric.digest
        ),
        constitution=reference_to(case.constitution),
        judges=court.bench.references,
        status=verdict.status,
        overall_score=verdict.overall_score,
        points=verdict.points,
        criteria=verdict.criteria,
        evidence=dossier.evidence,
        facts=dossier.facts,
        integrity=dossier.integrity,
        errors=errors,
        usage=total_usage([Usage.model_validate(row) for row in _bills(state)]),
        timings={},
    )


def _invented(said: Sequence[JudgeAnswer]) -> list[RecordedError]:
    count = sum(o.invented_citations for o in said if isinstance(o, JudicialOpinion))
    if not count:
        return []
    message = f"{count} citations of evidence that no judge was shown were removed."
    return [RecordedError(stage="judge_collector", code="citations_removed", message=message)]


def _bills(state: AgentState) -> list[dict[str, Any]]:
    """What every call cost: the judges', and those of a detective that asked a model."""
    looks = [testimony["usage"] for testimony in state.get("testimonies", {}).values()]
    return [*looks, *state.get("usage", [])]
