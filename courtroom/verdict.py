"""The last two nodes: the Chief Justice's report, and the report of an audit that could not be judged."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Any

from courtroom.detectives.testimony import Dossier
from courtroom.justice import synthesis
from courtroom.proceedings import Court, heard
from courtroom.record import (
    AuditReport,
    ConstitutionReference,
    CriterionResult,
    RecordedError,
    RubricReference,
    Usage,
    digest_of,
)
from courtroom.state import AgentState


def deliver(court: Court, state: AgentState) -> dict[str, Any]:
    """The verdict: a pure function of evidence, opinions and rules."""
    begin, dossier, opinions = perf_counter(), Dossier.model_validate(state["dossier"]), heard(state)
    verdict = synthesis.synthesise(
        rubric=court.case.rubric,
        constitution=court.case.constitution,
        evidence=dossier.evidence,
        outcomes=dossier.outcomes,
        facts=dossier.facts,
        opinions=opinions,
    )
    invented = sum(o.invented_citations for o in opinions if hasattr(o, "invented_citations"))
    errors = [*dossier.errors, *_invented(invented)]
    report = _report(court, state, dossier, verdict, errors)
    return _sealed(report, state, {"ChiefJustice": perf_counter() - begin})


def deliver_degraded(court: Court, state: AgentState) -> dict[str, Any]:
    """No scores: each criterion says that it needs a person, and the errors say why."""
    dossier = Dossier.model_validate(state["dossier"])
    criteria = tuple(
        CriterionResult(
            id=criterion.id,
            name=criterion.name,
            max_points=criterion.max_points,
            needs_review=True,
            rationale="Too little evidence could be collected to judge this criterion.",
        )
        for criterion in court.case.rubric.criteria
    )
    verdict = synthesis.Verdict(criteria=criteria, overall_score=None, points=None, status="degraded")
    return _sealed(_report(court, state, dossier, verdict, dossier.errors), state, {})


def _report(court: Court, state: AgentState, dossier: Dossier, verdict: Any, errors: Any) -> AuditReport:
    case, exhibits = court.case, court.exhibits
    return AuditReport(
        repo_url=case.repo_url,
        commit=exhibits.snapshot.commit,
        ref=case.ref,
        pdf_sha256=exhibits.pdf_sha256,
        rubric=RubricReference(id=case.rubric.id, version=case.rubric.version, digest=case.rubric.digest),
        constitution=ConstitutionReference(
            id=case.constitution.id, digest=digest_of(case.constitution.model_dump(mode="json"))
        ),
        judges=court.bench.references,
        status=verdict.status,
        overall_score=verdict.overall_score,
        points=verdict.points,
        criteria=verdict.criteria,
        evidence=dossier.evidence,
        facts=dossier.facts,
        integrity=dossier.integrity,
        errors=tuple(errors),
        usage=_total(state),
        timings={},
    )


def _sealed(report: AuditReport, state: AgentState, last: dict[str, float]) -> dict[str, Any]:
    timings = {stage: round(seconds, 4) for stage, seconds in {**state.get("timings", {}), **last}.items()}
    return {"report": report.model_copy(update={"timings": timings}).sealed().as_json()}


def _invented(count: int) -> list[RecordedError]:
    if not count:
        return []
    message = f"{count} citations of evidence that no judge was shown were removed."
    return [RecordedError(stage="judge_collector", code="citations_removed", message=message)]


def _total(state: AgentState) -> Usage:
    counts: Counter[str] = Counter()
    rows = state.get("usage", [])
    for row in rows:
        counts.update({name: value for name, value in row.items() if name != "cost_usd"})
    prices = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    return Usage(**counts, cost_usd=round(sum(prices), 6) if prices else None)
