"""A wing of the only door to the courtroom (engine.py): what a court tells, as rows that can be stored.

Importing it is cheap: it reads what it is given and loads nothing of the courtroom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from grading.core.enums import AuditState
from grading.engine.events import (
    Beat,
    CriterionRow,
    EvidenceRow,
    Look,
    OpinionRow,
    RunEvent,
    Stage,
    UsageRow,
    Verdict,
)

if TYPE_CHECKING:
    from courtroom import AuditEvent, AuditReport, Usage

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
STATES = {
    "verdict": AuditState.DONE,
    "needs_review": AuditState.NEEDS_REVIEW,
    "degraded": AuditState.DEGRADED,
}


def told(event: AuditEvent | None) -> Iterator[RunEvent]:
    """What the site is told of it; a beat when nothing happened for a while."""
    if event is None:
        yield Beat()
    elif event.report is not None:
        yield verdict_of(event.report)
    elif event.kind == "opinion":
        yield opinion_row(event)
    elif event.kind == "evidence":
        if usage := _usage(event.model, event.usage):
            yield Look(usage=usage)
        yield tuple(_evidence(piece) for piece in event.evidence)
    elif event.stage:
        yield Stage(name=event.stage, ended=event.ended)


def opinion_row(event: AuditEvent) -> OpinionRow:
    """A judge's answer as it is stored."""
    said = event.opinion or event.failure
    if said is None:
        raise RuntimeError("an opinion event without an opinion")
    return OpinionRow(
        key=said.key,
        judge=said.judge,
        criterion_id=said.criterion_id,
        round=said.round,
        score=event.opinion.score if event.opinion else None,
        document=_storable(said.model_dump(mode="json")),
        usage=_usage(said.model, event.usage),
    )


def _usage(model: str, usage: Usage | None) -> UsageRow | None:
    """Null for an answer that was known, or came with another in one call."""
    if usage is None or not usage.calls:
        return None
    return UsageRow(model=model, **usage.model_dump(exclude={"reused"}))


def _evidence(piece: Any) -> EvidenceRow:
    return EvidenceRow(
        key=piece.id,
        detective=piece.detective,
        check=piece.check,
        found=piece.found,
        path=_storable(piece.location.path or ""),
        line_start=piece.location.line_start,
        document=_storable(piece.model_dump(mode="json")),
    )


def _storable(value: Any) -> Any:
    """JSON that PostgreSQL takes: a NUL or half a surrogate pair, which models do send, becomes U+FFFD."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value


def _resealed(report: AuditReport) -> AuditReport:
    """The report as it can be stored; its digest is of what is stored."""
    told = report.as_json()
    storable = _storable(told)
    return report if storable == told else type(report).model_validate(storable).sealed()


def verdict_of(told: AuditReport) -> Verdict:
    """A report, and its rows as they are stored."""
    report = _resealed(told)
    return Verdict(
        state=STATES[report.status],
        report=report.as_json(),
        digest=report.digest,
        overall_score=report.overall_score,
        commit=report.commit or "",
        criteria=tuple(
            CriterionRow(
                criterion_id=c.id,
                name=c.name,
                score=c.final_score,
                level=c.level or "",
                points=c.points,
                max_points=c.max_points,
                needs_review=c.needs_review,
                excluded=c.excluded,
            )
            for c in report.criteria
        ),
        evidence=tuple(_evidence(piece) for piece in report.evidence),
    )
