"""Remediation: what to change, where and how urgently, derived from unmet checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from courtroom.checks.registry import Check, statement_on
from courtroom.models.audit_report import Remediation
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.rubric import Criterion
from courtroom.models.statement import continued
from courtroom.synthesis.evidence_weight import SECURITY_TAG

Priority = Literal["high", "medium", "low"]
URGENCY: tuple[Priority, ...] = ("high", "medium", "low")
# Share of the criterion's weight with which one check moves the score by a step, or by half a step.
STEP_SHARE, HALF_STEP_SHARE = 0.25, 0.125


def remediation_for(
    criterion: Criterion, outcomes: Mapping[str, CheckOutcome], evidence: Mapping[str, Evidence]
) -> tuple[Remediation, ...]:
    """Return one change for each unmet check, or for each place of a flaw; the most urgent first.

    `outcomes` by check id, `evidence` by evidence id. A check without outcome asks for nothing.
    """
    unmet = [c for c in criterion.checks if c.id in outcomes and outcomes[c.id].met is False]
    total = sum(check.weight for check in criterion.checks)
    ranked = sorted(
        unmet, key=lambda check: (URGENCY.index(priority_of(check, total)), -check.weight)
    )
    return tuple(
        change
        for check in ranked
        for change in _changes(
            criterion, check, outcomes[check.id], priority_of(check, total), evidence
        )
    )


def priority_of(check: Check, total: float) -> Priority:
    """Return the priority of a check; `total` is the weight of all checks of the criterion."""
    if check.essential or SECURITY_TAG in check.tags or check.weight / total >= STEP_SHARE:
        return "high"
    return "medium" if check.weight / total >= HALF_STEP_SHARE else "low"


def _changes(
    criterion: Criterion,
    check: Check,
    outcome: CheckOutcome,
    priority: Priority,
    evidence: Mapping[str, Evidence],
) -> list[Remediation]:
    """Return a change for each place of a flaw, or a single one for something missing."""
    pieces = [evidence[i] for i in outcome.evidence if i in evidence]
    action = check.advice or f"Mend this: {continued(str(statement_on(check, outcome)))}"
    flaws = sorted((piece for piece in pieces if piece.found and piece.location.path), key=_place)
    # A flaw (negative polarity) is fixed wherever it stands; a missing part is added once.
    if check.polarity == "negative" and flaws:
        return [_change(criterion, check, action, priority, (piece,)) for piece in flaws]
    return [_change(criterion, check, action, priority, pieces)]


def _change(
    criterion: Criterion,
    check: Check,
    action: str,
    priority: Priority,
    pieces: Sequence[Evidence],
) -> Remediation:
    location = next((piece.location for piece in pieces if piece.location.path), None)
    return Remediation(
        path=location.path if location else None,
        line=location.line_start if location else None,
        action=action,
        snippet=check.snippet,
        priority=priority,
        evidence=tuple(piece.id for piece in pieces),
        criterion_id=criterion.id,
    )


def _place(piece: Evidence) -> tuple[str, int, str]:
    return piece.location.path or "", piece.location.line_start or 0, piece.id
