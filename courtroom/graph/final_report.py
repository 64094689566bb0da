"""Last node of every audit: the Chief Justice's verdict, or the degraded report, as one record."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from time import perf_counter
from typing import Any

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.detectives.detective_result import Dossier, Suspicion
from courtroom.detectives.integrity_evidence import evidence_of
from courtroom.detectives.quote_verification import verify
from courtroom.graph.nodes import AuditNodes, answers_of
from courtroom.graph.state import JUDGES, AgentState
from courtroom.inputs import AuditInputs
from courtroom.judges.budget import total_usage
from courtroom.judges.judge_inputs import JudgeAnswer
from courtroom.models.audit_report import (
    AuditReport,
    CriterionResult,
    RecordedError,
    RubricReference,
    Screening,
    Usage,
)
from courtroom.models.evidence import SCREENED_TAG, Evidence
from courtroom.models.judge_answer import JudgeFailure, JudicialOpinion
from courtroom.replay.resynthesis import constitution_reference
from courtroom.synthesis import chief_justice
from courtroom.synthesis.adding_up import steps_of_sums
from courtroom.synthesis.evidence_weight import dossier_of
from courtroom.synthesis.next_steps import next_steps
from courtroom.synthesis.opinions import answers_on, rows_of

COLLECTOR = "judge_collector"


def write_report(nodes: AuditNodes, state: AgentState) -> dict[str, Any]:
    """Return the report, a pure function of evidence, opinions and rules.

    Without enough evidence no judge answered: then no criterion has a score and each says why.
    """
    begin = perf_counter()
    dossier, answers, errors = _with_cited_lines(
        Dossier.model_validate(state["dossier"]), answers_of(state), nodes.inputs
    )
    verdict = chief_justice.synthesise(
        rubric=nodes.case.rubric,
        constitution=nodes.case.constitution,
        evidence=dossier.evidence,
        outcomes=dossier.outcomes,
        facts=dossier.facts,
        opinions=answers,
    )
    # Flags are for a person: the verdict was made without them.
    dossier = _with_flags(dossier, state, nodes.inputs.snapshot)
    return _update(nodes, state, dossier, answers, verdict, errors, begin=begin)


def write_unjudged_report(
    nodes: AuditNodes, state: AgentState, error: RecordedError
) -> dict[str, Any]:
    """Return a degraded report for a verdict that failed: evidence and opinions, and no score."""
    dossier = Dossier.model_validate(state["dossier"])
    # Lines that were not verified again are no evidence.
    answers = tuple(
        _without(answer, {item.id for item in _cited_lines(answer)}) for answer in answers_of(state)
    )
    outcomes = {outcome.check: outcome for outcome in dossier.outcomes}
    criteria = tuple(
        CriterionResult(
            id=criterion.id,
            name=criterion.name,
            max_points=criterion.max_points,
            needs_review=True,
            **chief_justice.unscored(error.code, error.message),
            checks=chief_justice.check_rows(criterion, outcomes),
            opinions=rows_of(answers_on(criterion.id, answers).heard),
        )
        for criterion in nodes.case.rubric.criteria
    )
    verdict = chief_justice.Verdict(
        criteria=criteria,
        overall_score=None,
        points=None,
        status="degraded",
        steps=tuple(steps_of_sums(nodes.case.rubric, criteria)),
    )
    return _update(nodes, state, dossier, answers, verdict, (error,))


def _update(
    nodes: AuditNodes,
    state: AgentState,
    dossier: Dossier,
    answers: Sequence[JudgeAnswer],
    verdict: chief_justice.Verdict,
    more_errors: Sequence[RecordedError] = (),
    *,
    begin: float | None = None,
) -> dict[str, Any]:
    """Return the report as the last update of the state, with every error of the audit."""
    # Errors of the detectives are in the dossier too.
    of_nodes = (RecordedError.model_validate(row) for row in state.get("errors", []))
    of_judges = (*judge_errors(answers), *_removed_citations(answers))
    errors = tuple(dict.fromkeys((*dossier.errors, *of_nodes, *of_judges, *more_errors)))
    report = _report(nodes, state, dossier, verdict, errors)

    timings = dict(state.get("timings", {}))
    if begin is not None:
        timings["ChiefJustice"] = perf_counter() - begin
    rounded = {stage: round(seconds, 4) for stage, seconds in timings.items()}
    return {"report": report.model_copy(update={"timings": rounded}).sealed().as_json()}


def _with_cited_lines(
    dossier: Dossier, answers: Sequence[JudgeAnswer], inputs: AuditInputs
) -> tuple[Dossier, tuple[JudgeAnswer, ...], tuple[RecordedError, ...]]:
    """Return the dossier with the lines that judges cited, verified as all evidence is.

    A line that is not verbatim at its place is dropped from evidence and opinions alike.
    """
    own = {item.id for item in dossier.evidence}
    lines = {item.id: item for answer in answers for item in _cited_lines(answer)}
    fresh = tuple(item for id_, item in lines.items() if id_ not in own)
    pages = inputs.pdf.pages if isinstance(inputs.pdf, PdfReading) else ()
    dropped, errors = verify(fresh, inputs.snapshot, stage=COLLECTOR, pages=pages)
    kept = tuple(item for item in fresh if item.id not in dropped)
    return (
        dossier.model_copy(update={"evidence": (*dossier.evidence, *kept)}),
        tuple(_without(answer, dropped) for answer in answers),
        errors,
    )


def _with_flags(dossier: Dossier, state: AgentState, snapshot: Snapshot) -> Dossier:
    """Return the dossier with the passages that a screening named, their lines verbatim."""
    rows = state.get("screening", {}).get("passages", ())
    flags = evidence_of(
        [_at_commit(Suspicion.model_validate(row), snapshot) for row in rows],
        snapshot,
        (SCREENED_TAG,),
    )
    own = {item.id for item in dossier.evidence}
    flags = tuple(item for item in flags if item.id not in own)
    suspected = dossier.integrity.suspected or bool(rows)
    changes = {
        "evidence": (*dossier.evidence, *flags),
        "integrity": dossier.integrity.model_copy(update={"suspected": suspected}),
    }
    return dossier.model_copy(update=changes)


def _at_commit(passage: Suspicion, snapshot: Snapshot) -> Suspicion:
    """Return the passage with the commit of its file; a row of the tree has none."""
    place = passage.location
    if place.path is None:
        return passage
    location = place.model_copy(update={"commit": snapshot.commit})
    return passage.model_copy(update={"location": location})


def _cited_lines(answer: JudgeAnswer) -> tuple[Evidence, ...]:
    return answer.cited_lines if isinstance(answer, JudicialOpinion) else ()


def _without(answer: JudgeAnswer, dropped: Collection[str]) -> JudgeAnswer:
    if not dropped or not isinstance(answer, JudicialOpinion):
        return answer
    cited = tuple(id_ for id_ in answer.cited_evidence if id_ not in dropped)
    return answer.model_copy(update={"cited_evidence": cited})


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
        # The whole id of the commit is no name of it beside itself.
        ref=None if case.ref == inputs.snapshot.commit else case.ref,
        pdf_sha256=inputs.pdf_sha256,
        rubric=RubricReference(
            id=case.rubric.id, version=case.rubric.version, digest=case.rubric.digest
        ),
        constitution=constitution_reference(case.constitution),
        judges=nodes.bench.references,
        status=verdict.status,
        overall_score=verdict.overall_score,
        points=verdict.points,
        steps=verdict.steps,
        criteria=verdict.criteria,
        next_steps=next_steps(
            case.rubric,
            case.constitution,
            dossier_of(dossier.evidence, dossier.outcomes, dossier.facts),
            verdict.criteria,
        ),
        evidence=dossier.evidence,
        facts=dossier.facts,
        integrity=dossier.integrity,
        screening=_screening(state),
        errors=errors,
        usage=total_usage([Usage.model_validate(row) for row in _usage_rows(state)]),
        timings={},
    )


def _screening(state: AgentState) -> Screening | None:
    row = state.get("screening", {}).get("record")
    return Screening.model_validate(row) if row else None


def judge_errors(answers: Sequence[JudgeAnswer]) -> list[RecordedError]:
    """Return an error for each answer that a judge failed to give. Abstaining is an answer."""
    return [
        RecordedError(
            stage=JUDGES[answer.judge],
            code=f"judge_{answer.failure}",
            message=answer.message,
            judge=answer.judge,
            criterion=answer.criterion_id,
        )
        for answer in answers
        if isinstance(answer, JudgeFailure) and answer.failure != "abstained"
    ]


def _removed_citations(answers: Sequence[JudgeAnswer]) -> list[RecordedError]:
    opinions = (answer for answer in answers if isinstance(answer, JudicialOpinion))
    count = sum(opinion.invented_citations for opinion in opinions)
    if not count:
        return []
    message = f"{count} citations of evidence that no judge was shown were removed."
    return [RecordedError(stage=COLLECTOR, code="citations_removed", message=message)]


def _usage_rows(state: AgentState) -> list[dict[str, Any]]:
    """Return the usage of every call: of judges, detectives that asked a model, the screening."""
    detectives = [result["usage"] for result in state.get("detective_results", {}).values()]
    screening = [state["screening"]["usage"]] if "screening" in state else []
    return [*detectives, *screening, *state.get("usage", [])]
