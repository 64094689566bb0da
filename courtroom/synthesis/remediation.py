"""Remediation: what to change, where and how urgently, derived from unmet checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from courtroom.checks.registry import Check, statement_on
from courtroom.models.audit_report import CriterionResult, Remediation
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.root_cause import RootCauseCode
from courtroom.models.rubric import Criterion
from courtroom.models.statement import continued
from courtroom.synthesis.evidence_weight import SECURITY_TAG

Priority = Literal["high", "medium", "low"]
URGENCY: tuple[Priority, ...] = ("high", "medium", "low")
# What mends each root cause.
ADVICE: dict[RootCauseCode, str] = {
    "no_report": "Hand in the PDF report.",
    "no_diagram": "Draw the graph of the code in the report.",
    "no_graph": "Build the flow as a StateGraph of nodes and edges.",
    "no_clone": "Write one function that clones the repository under audit into a temporary"
    " directory.",
    "no_judges": "Write the judges as nodes of the graph.",
    "no_model": "Let each judge call a model that answers in the schema of an opinion.",
    "no_prompts": "Write a prompt for each judge.",
    "no_synthesis": "Write a Chief Justice that computes the verdict from the opinions in code.",
}
# Share of the criterion's weight with which one check moves the score by a step, or by half a step.
STEP_SHARE, HALF_STEP_SHARE = 0.25, 0.125


def remediation_for(
    criterion: Criterion, outcomes: Mapping[str, CheckOutcome], evidence: Mapping[str, Evidence]
) -> tuple[Remediation, ...]:
    """Return one change for each unmet check, or for each place of a flaw; the most urgent first.

    `outcomes` by check id, `evidence` by evidence id. A check without outcome asks for nothing, and
    those that do not apply ask once for what they are about.
    """
    unmet = _to_mend(criterion, outcomes)
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


def _to_mend(criterion: Criterion, outcomes: Mapping[str, CheckOutcome]) -> list[Check]:
    """Return the unmet checks, and one of those on a root cause that no check of the rubric states."""
    rows = [(check, outcomes[check.id]) for check in criterion.checks if check.id in outcomes]
    unmet = [check for check, outcome in rows if outcome.met is False]
    stated = {outcome.reason for outcome in outcomes.values() if outcome.met is False}
    hanging: dict[str, Check] = {}
    for check, outcome in rows:
        cause = outcome.not_applicable
        if cause and cause.sentence not in stated:
            # The heaviest of them says how urgent the root cause is.
            heaviest = hanging.get(cause.code, check)
            hanging[cause.code] = max(heaviest, check, key=lambda c: (c.essential, c.weight))
    return unmet + list(hanging.values())


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
    if cause := outcome.not_applicable:
        return [_change(criterion, ADVICE[cause.code], None, priority, pieces)]
    action = check.advice or f"Mend this: {continued(str(statement_on(check, outcome)))}"
    flaws = sorted((piece for piece in pieces if piece.found and piece.location.path), key=_place)
    # A flaw (negative polarity) is fixed wherever it stands; a missing part is added once.
    if check.polarity == "negative" and flaws:
        return [_change(criterion, action, check.snippet, priority, (piece,)) for piece in flaws]
    return [_change(criterion, action, check.snippet, priority, pieces)]


def each_once(results: Iterable[CriterionResult]) -> Iterator[CriterionResult]:
    """Yield the results; the change that mends a root cause stands in the first criterion alone."""
    earlier: set[tuple[str, tuple[str, ...]]] = set()
    for result in results:
        changes = [(task.action, task.evidence) for task in result.remediation]
        kept = (task for task in result.remediation if (task.action, task.evidence) not in earlier)
        yield result.model_copy(update={"remediation": tuple(kept)})
        earlier.update(changes)


def _change(
    criterion: Criterion,
    action: str,
    snippet: str | None,
    priority: Priority,
    pieces: Sequence[Evidence],
) -> Remediation:
    location = next((piece.location for piece in pieces if piece.location.path), None)
    return Remediation(
        path=location.path if location else None,
        line=location.line_start if location else None,
        action=action,
        snippet=snippet,
        priority=priority,
        evidence=tuple(piece.id for piece in pieces),
        criterion_id=criterion.id,
    )


def _place(piece: Evidence) -> tuple[str, int, str]:
    return piece.location.path or "", piece.location.line_start or 0, piece.id
