"""What an audit tells while it runs: frozen values between the engine, the actions and the job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grading.core.enums import AuditState


@dataclass(frozen=True, slots=True)
class Stage:
    """A node of the courtroom's graph began or ended."""

    name: str
    ended: bool


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    key: str
    detective: str
    check: str
    found: bool
    path: str
    line_start: int | None
    document: dict[str, Any]


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What one answer took; `cost_usd` is null without a price."""

    model: str
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Look:
    """A model looked at the report's pages: what it took."""

    usage: UsageRow


@dataclass(frozen=True, slots=True)
class OpinionRow:
    """`score` is null when the judge gave no usable answer; `document` then says why."""

    key: str
    judge: str
    criterion_id: str
    round: int
    score: int | None
    document: dict[str, Any]
    usage: UsageRow | None = None


@dataclass(frozen=True, slots=True)
class CriterionRow:
    criterion_id: str
    name: str
    score: int | None
    level: str
    points: float | None
    max_points: float | None
    needs_review: bool
    excluded: bool


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of every audit that was not refused: the report, and its rows."""

    state: AuditState
    report: dict[str, Any]
    digest: str
    overall_score: float | None
    commit: str
    criteria: tuple[CriterionRow, ...]
    evidence: tuple[EvidenceRow, ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """Nothing happened for a while; the audit is still going on."""


RunEvent = Stage | tuple[EvidenceRow, ...] | Look | OpinionRow | Verdict | Beat
