"""Hold one audit: collect the exhibits, open the court, and tell what happens as it happens."""

from __future__ import annotations

import asyncio
import gc
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from courtroom.inputs import Collection
from courtroom.judges.bench import make_bench
from courtroom.judges.budget import Budget
from courtroom.judges.rate_limit import NO_LIMIT, RateLimit
from courtroom.models.case import BenchSettings, Case, Known
from courtroom.models.record import (
    AuditEvent,
    AuditReport,
    Evidence,
    JudgeFailure,
    JudicialOpinion,
    Usage,
)
from courtroom.synthesis.guards import refuse_unsound


async def hold_audit(
    case: Case,
    *,
    bench: BenchSettings | None = None,
    known: Known | None = None,
    gate: RateLimit = NO_LIMIT,
) -> AsyncIterator[AuditEvent]:
    """Events in order, the last of kind `report`. Raises InputRefused for what the student must mend.

    What `known` holds for this very commit, PDF and rubric is neither computed nor bought again. Every call to
    a provider passes the `gate`.
    """
    settings, known = bench or BenchSettings(), known or Known()
    refuse_unsound(case.constitution)
    with tempfile.TemporaryDirectory(prefix="courtroom-") as workspace:
        yield AuditEvent(kind="stage", stage="exhibits")
        collection = Collection(case, Path(workspace), _examined_before(known, settings))
        build_graph = await asyncio.to_thread(warm_up)
        purse = Budget(settings.budget_usd, settings.prices)
        judges = await asyncio.to_thread(make_bench, settings, known, gate, purse)
        eyes = await asyncio.to_thread(_eyes, settings, case, gate, purse)
        exhibits = await asyncio.to_thread(collection.wait)
        yield AuditEvent(kind="stage", stage="exhibits", ended=True)
        from courtroom.graph.nodes import Court

        court = Court(
            case=case,
            exhibits=exhibits,
            bench=judges,
            seats=asyncio.Semaphore(settings.concurrency),
            debate=settings.debate and settings.kind == "llm",
            eyes=eyes,
        )
        try:
            async for event in _proceed(build_graph(court)):
                yield event
        finally:
            await judges.close()
            if eyes is not None:
                await eyes.close()


def warm_up() -> Any:
    """Import the graph's libraries and return its builder: about a second, paid once per process.

    What an import makes stays for good, so the collector need not walk it: not meanwhile (a sixth of the time),
    and not afterwards either.
    """
    gc.disable()
    try:
        from courtroom.graph.wiring import build_graph
    finally:
        gc.freeze()
        gc.enable()
    return build_graph


def _examined_before(known: Known, settings: BenchSettings) -> AuditReport | None:
    """The earlier report, unless it left a diagram unknown that a model could look at now."""
    unseen = known.report is not None and known.report.facts.pdf_diagram is None
    return None if unseen and settings.kind == "llm" and settings.vision_model else known.report


def _eyes(settings: BenchSettings, case: Case, gate: RateLimit, purse: Budget) -> Any:
    """Whoever looks at pictures, or null; the library for it is imported only when a model is set."""
    if settings.kind != "llm" or not settings.vision_model:
        return None
    from courtroom.detectives.vision_model import eyes_for

    return eyes_for(settings, case.pdf, case.limits, gate=gate, purse=purse)


async def _proceed(graph: Any) -> AsyncIterator[AuditEvent]:
    from courtroom.graph.wiring import RECURSION_LIMIT

    config = {"recursion_limit": RECURSION_LIMIT}
    async for task in graph.astream({}, config=config, stream_mode="tasks"):
        for event in _events(task):
            yield event


def _events(task: dict[str, Any]) -> Iterator[AuditEvent]:
    """A task of the graph began (it has an input) or ended (it has a result)."""
    stage = task["name"]
    if "result" not in task:
        yield AuditEvent(kind="stage", stage=stage)
        return
    update: dict[str, Any] = dict(task["result"])
    for name, rows in update.get("evidences", {}).items():
        yield _evidence_event(stage, rows, update["testimonies"][name])
    for row, usage in zip(update.get("opinions", []), update.get("usage", []), strict=True):
        yield _opinion_event(stage, row, Usage.model_validate(usage))
    yield AuditEvent(kind="stage", stage=stage, ended=True)
    if "report" in update:
        yield AuditEvent(kind="report", report=AuditReport.model_validate(update["report"]))


def _evidence_event(
    stage: str, rows: list[dict[str, Any]], testimony: dict[str, Any]
) -> AuditEvent:
    usage = Usage.model_validate(testimony["usage"])
    return AuditEvent(
        kind="evidence",
        stage=stage,
        evidence=tuple(Evidence.model_validate(row) for row in rows),
        usage=usage if usage.calls else None,
        model=testimony["model"],
    )


def _opinion_event(stage: str, row: dict[str, Any], usage: Usage) -> AuditEvent:
    if "failure" in row:
        failure = JudgeFailure.model_validate(row)
        return AuditEvent(kind="opinion", stage=stage, failure=failure, usage=usage)
    opinion = JudicialOpinion.model_validate(row)
    return AuditEvent(kind="opinion", stage=stage, opinion=opinion, usage=usage)
