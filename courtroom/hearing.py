"""Hold one audit: collect the exhibits, open the court, and tell what happens as it happens."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from courtroom.case import BenchSettings, Case, Known
from courtroom.detectives.testimony import Dossier
from courtroom.exhibits import Collection, Exhibits
from courtroom.judges.bench import seat
from courtroom.record import (
    ENGINE,
    AuditEvent,
    AuditReport,
    CheckOutcome,
    Evidence,
    JudgeFailure,
    JudicialOpinion,
)


async def hold_audit(
    case: Case, *, bench: BenchSettings | None = None, known: Known | None = None
) -> AsyncIterator[AuditEvent]:
    """Events in order, the last of kind `report`. Raises InputRefused for what the student must mend.

    What `known` holds for this very commit, PDF and rubric is neither computed nor bought again.
    """
    settings, known = bench or BenchSettings(), known or Known()
    with tempfile.TemporaryDirectory(prefix="courtroom-") as workspace:
        yield AuditEvent(kind="stage", stage="snapshot")
        collection = Collection(case, Path(workspace))
        build_graph = await asyncio.to_thread(warm_up)
        exhibits = await asyncio.to_thread(collection.wait)
        yield AuditEvent(kind="stage", stage="snapshot", ended=True)
        from courtroom.proceedings import Court

        court = Court(
            case=case,
            exhibits=exhibits,
            bench=seat(settings, known),
            seats=asyncio.Semaphore(settings.concurrency),
            known_dossier=_dossier_still_holding(case, exhibits, known.report),
        )
        async for event in _proceed(build_graph(court)):
            yield event


def warm_up() -> Any:
    """Import the graph's libraries and return its builder: about a second, paid once per process."""
    from courtroom.graph import build_graph

    return build_graph


async def _proceed(graph: Any) -> AsyncIterator[AuditEvent]:
    from courtroom.graph import RECURSION_LIMIT

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
    for rows in update.get("evidences", {}).values():
        yield AuditEvent(
            kind="evidence", stage=stage, evidence=tuple(Evidence.model_validate(r) for r in rows)
        )
    for row in update.get("opinions", []):
        yield _opinion_event(stage, row)
    yield AuditEvent(kind="stage", stage=stage, ended=True)
    if "report" in update:
        yield AuditEvent(kind="report", report=AuditReport.model_validate(update["report"]))


def _opinion_event(stage: str, row: dict[str, Any]) -> AuditEvent:
    if "failure" in row:
        return AuditEvent(kind="opinion", stage=stage, failure=JudgeFailure.model_validate(row))
    return AuditEvent(kind="opinion", stage=stage, opinion=JudicialOpinion.model_validate(row))


def _dossier_still_holding(case: Case, exhibits: Exhibits, known: AuditReport | None) -> Dossier | None:
    """The known report's dossier, if it is of the same engine, commit, PDF and rubric and nothing had failed."""
    if known is None or known.errors or known.engine != ENGINE:
        return None
    same = (
        known.commit == exhibits.snapshot.commit
        and known.pdf_sha256 == exhibits.pdf_sha256
        and known.rubric.digest == case.rubric.digest
    )
    return _dossier_of(known) if same else None


def _dossier_of(report: AuditReport) -> Dossier:
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
