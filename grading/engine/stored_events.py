"""Conversion of the courtroom's events to rows that can be stored; it imports nothing of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from grading.core.enums import AuditState
from grading.engine.events import (
    Beat,
    Contents,
    CriterionRow,
    EvidenceRow,
    Look,
    OpinionRow,
    RunEvent,
    ScreeningRow,
    Stage,
    UsageRow,
    Verdict,
)
from grading.engine.stored_sources import pack_sources

if TYPE_CHECKING:
    from courtroom import AuditEvent, AuditReport, Usage

# PostgreSQL's jsonb and text refuse these.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# Files of a repository that are listed beside its audit; a longer list is not stored.
MOST_FILES = 5000
STATES = {
    "verdict": AuditState.DONE,
    "needs_review": AuditState.NEEDS_REVIEW,
    "degraded": AuditState.DEGRADED,
}


def site_events(event: AuditEvent | None) -> Iterator[RunEvent]:
    """Yield the site's events for one of the courtroom's; a beat if nothing happened."""
    if event is None:
        yield Beat()
    elif event.report is not None:
        yield verdict_of(event.report)
    elif event.kind == "opinion":
        yield opinion_row(event)
    elif event.kind == "contents":
        files = event.files if event.files and len(event.files) <= MOST_FILES else None
        yield Contents(
            files=_storable(files),
            pages=event.pages,
            sources=pack_sources(event.sources) if event.sources is not None else None,
        )
    elif event.screening is not None:
        yield ScreeningRow(
            document=_storable(event.screening.model_dump(mode="json")),
            usage=_usage(event.screening.model, event.usage),
        )
    elif event.kind == "evidence":
        if usage := _usage(event.model, event.usage):
            yield Look(usage=usage)
        yield tuple(_evidence(piece) for piece in event.evidence)
    elif event.stage:
        yield Stage(name=event.stage, ended=event.ended)


def opinion_row(event: AuditEvent) -> OpinionRow:
    """Return a judge's answer as a row."""
    answer = event.opinion or event.failure
    if answer is None:
        raise RuntimeError("an opinion event without an opinion")

    return OpinionRow(
        key=answer.key,
        judge=answer.judge,
        criterion_id=answer.criterion_id,
        round=answer.round,
        score=event.opinion.score if event.opinion else None,
        document=_storable(answer.model_dump(mode="json")),
        usage=_usage(answer.model, event.usage),
    )


def _usage(model: str, usage: Usage | None) -> UsageRow | None:
    """Return the usage; None for an answer that was reused, or came in another one's call."""
    if usage is None or not usage.calls:
        return None
    return UsageRow(model=model, **usage.model_dump(exclude={"reused", "answer_forms", "refused"}))


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
    """Return JSON that PostgreSQL accepts: NUL and unpaired surrogates become U+FFFD."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value


def _resealed(report: AuditReport) -> AuditReport:
    """Return the report as it can be stored; its digest is that of the stored text."""
    document = report.as_json()
    storable = _storable(document)
    return report if storable == document else type(report).model_validate(storable).sealed()


def verdict_of(unsealed: AuditReport) -> Verdict:
    """Return a report with its rows."""
    report = _resealed(unsealed)
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
