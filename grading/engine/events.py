"""Events of a running audit: frozen values between the engine, the actions and the job."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grading.core.enums import AuditState


@dataclass(frozen=True, slots=True)
class Stage:
    """Start or end of a node of the courtroom's graph."""

    name: str
    ended: bool


@dataclass(frozen=True, slots=True)
class Contents:
    """Lines and texts of the files at the audited commit, and pages of the PDF.

    As in AuditContents.
    """

    files: dict[str, int | None] | None
    pages: int | None
    sources: bytes | None


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
    """Usage of one answer; `cost_usd` is None without a price."""

    model: str
    calls: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Look:
    """Usage of a model that looked at the report's pages."""

    usage: UsageRow


@dataclass(frozen=True, slots=True)
class ScreeningRow:
    """Record of a screening of the prose; `usage` is None where a stored answer was used."""

    document: dict[str, Any]
    usage: UsageRow | None


@dataclass(frozen=True, slots=True)
class OpinionRow:
    """Answer of a judge. `score` is None without a usable answer; `document` says why."""

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
    """End of every audit that was not refused: the report and its rows."""

    state: AuditState
    report: dict[str, Any]
    digest: str
    overall_score: float | None
    commit: str
    criteria: tuple[CriterionRow, ...]
    evidence: tuple[EvidenceRow, ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """Sign of life: nothing happened for a while, and the audit still runs."""


RunEvent = (
    Stage | Contents | tuple[EvidenceRow, ...] | Look | ScreeningRow | OpinionRow | Verdict | Beat
)
