"""Remediation: what to change, where and how urgently, derived from unmet checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from courtroom.checks.priority import URGENCY, Priority, priority_of
from courtroom.checks.registry import Check, statement_on
from courtroom.models.audit_report import CriterionResult, Remediation
from courtroom.models.evidence import CheckOutcome, Evidence, Location
from courtroom.models.root_cause import RootCauseCode
from courtroom.models.rubric import Criterion
from courtroom.models.statement import continued
from courtroom.synthesis.advice.kinds import steps_of
from courtroom.synthesis.advice.work import Step, Work, filled

# What mends each root cause.
ADVICE: dict[RootCauseCode, str] = {
    "no_report": "Hand in the PDF report{{empty_reports|}}.",
    "no_diagram": "Draw the graph of the code in the report.",
    "no_graph": "Build the flow as a StateGraph of nodes and edges.",
    "no_clone": "Write one function that clones the repository under audit into a temporary"
    " directory.",
    "no_judges": "Write the judges as nodes of the graph.",
    "no_model": "Let each judge call a model that answers in the schema of an opinion.",
    "no_prompts": "Write a prompt for each judge.",
    "no_cap": "Limit the score to {{cap|3}} by a security flaw in the evidence.",
    "no_dissent": "Write into the report what each judge argues where scores lie far apart.",
    "idle_judges": "Wire {{idle_judges}} into the graph{{graph_at|}} by add_node and edges, after the"
    " detectives.",
    "idle_justice": "Wire {{idle_justice}} into the graph{{graph_at|}} by add_node and edges, after"
    " the judges.",
    "no_synthesis": "Write a Chief Justice that computes the verdict from the opinions in code.",
}


def remediation_for(criterion: Criterion, work: Work) -> tuple[Remediation, ...]:
    """Return what mends the unmet checks, at its places, each step once; the most urgent first.

    A check without outcome asks for nothing, and those that do not apply ask once for what they
    are about.
    """
    once: dict[tuple[object, ...], Remediation] = {}
    for changes in changes_by_check(criterion, work).values():
        for change in changes:
            key = (change.action, change.path, change.line)
            same = once.get(key)
            evidence = (*(same.evidence if same else ()), *change.evidence)
            update = {"evidence": tuple(dict.fromkeys(evidence))}
            once[key] = (same or change).model_copy(update=update)
    return tuple(sorted(once.values(), key=lambda change: URGENCY.index(change.priority)))


def changes_by_check(criterion: Criterion, work: Work) -> dict[str, tuple[Remediation, ...]]:
    """Return the changes by check, that of the most urgent check first."""
    total = sum(check.weight for check in criterion.checks)
    ranked = sorted(
        _to_mend(criterion, work.outcomes),
        key=lambda check: (URGENCY.index(priority_of(check, total)), -check.weight),
    )
    return {
        check.id: tuple(_changes(criterion, check, priority_of(check, total), work))
        for check in ranked
    }


def _to_mend(criterion: Criterion, outcomes: Mapping[str, CheckOutcome]) -> list[Check]:
    """Return the unmet checks, and one of those on a root cause that no check of the rubric states."""
    rows = [(check, outcomes[check.id]) for check in criterion.checks if check.id in outcomes]
    unmet = [check for check, outcome in rows if outcome.met is False]
    stated = tuple({o.reason for o in outcomes.values() if o.met is False})
    hanging: dict[str, Check] = {}
    for check, outcome in rows:
        cause = outcome.not_applicable
        # A reason may go on after it with a place.
        if cause and not any(r.startswith(cause.sentence.rstrip(".")) for r in stated):
            # The heaviest of them says how urgent the root cause is.
            heaviest = hanging.get(cause.code, check)
            hanging[cause.code] = max(heaviest, check, key=lambda c: (c.essential, c.weight))
    return unmet + list(hanging.values())


def _changes(
    criterion: Criterion, check: Check, priority: Priority, work: Work
) -> Iterator[Remediation]:
    """Yield a change for each place of a flaw, or a single one for something missing."""
    outcome = work.outcomes[check.id]
    pieces = [work.evidence[i] for i in outcome.evidence if i in work.evidence]
    if cause := outcome.not_applicable:
        action = filled(ADVICE[cause.code], work.names) or ADVICE[cause.code]
        yield _change(criterion, Step(action), priority, pieces)
        return
    # Where the facts tell what to change, the place is that of the change.
    for step in steps_of(check, criterion, outcome, pieces, work) or (Step(""),):
        fitting = replace(step, action=step.action or _fault_to_mend(check, outcome))
        if step.is_urgent or step.is_minor:
            priority = "high" if step.is_urgent else "low"
        flaws = [piece for piece in pieces if piece.found and piece.location.path]
        # A flaw (negative polarity) is fixed wherever it stands; a missing part is added once.
        if check.polarity == "negative" and flaws and not (step.action or step.path):
            for piece in sorted(flaws, key=_place):
                yield _change(
                    criterion, _worded(check, fitting, (piece,), work), priority, (piece,)
                )
        else:
            yield _change(criterion, _worded(check, fitting, pieces, work), priority, pieces)


def _fault_to_mend(check: Check, outcome: CheckOutcome) -> str:
    return f"Mend this: {continued(str(statement_on(check, outcome)))}"


def _worded(check: Check, step: Step, pieces: Sequence[Evidence], work: Work) -> Step:
    """Return the step in the rubric's words, with the names of the work; an example that lacks
    one of them is left out.
    """
    path = step.path or next((piece.location.path for piece in pieces if piece.location.path), None)
    names = {**work.names, **({"path": path} if path else {})}
    advice = filled(check.advice, names) if check.advice and not step.is_exact else None
    # An example that is said of this work stands before that of the rubric.
    own = step.snippet if step.is_exact else None
    snippet = filled(check.snippet, names) if check.snippet and not own else None
    return replace(step, action=advice or step.action, snippet=snippet or step.snippet)


def each_once(results: Iterable[CriterionResult]) -> Iterator[CriterionResult]:
    """Yield the results; the change that mends a root cause stands in the first criterion alone."""
    earlier: set[tuple[str, tuple[str, ...]]] = set()
    for result in results:
        changes = [(task.action, task.evidence) for task in result.remediation]
        kept = (task for task in result.remediation if (task.action, task.evidence) not in earlier)
        yield result.model_copy(update={"remediation": tuple(kept)})
        earlier.update(changes)


def _change(
    criterion: Criterion, step: Step, priority: Priority, pieces: Sequence[Evidence]
) -> Remediation:
    places = [piece.location for piece in pieces if piece.location.path]
    location = next(iter(places), Location())
    own = [piece for piece in pieces if (step.path, step.line) == _line(piece)]
    # Only the first few faults of a kind are quoted; what the step itself names is of this one.
    own = own or [piece for piece in pieces if _is_named(piece, step.action)]
    return Remediation(
        path=step.path or location.path,
        line=step.line if step.path else location.line_start,
        action=step.action,
        snippet=step.snippet,
        priority=priority,
        evidence=tuple(piece.id for piece in own or pieces),
        criterion_id=criterion.id,
    )


def _is_named(piece: Evidence, action: str) -> bool:
    path, line = _line(piece)
    return f"{path}:{line}" in {word.strip("().,;:") for word in action.split()}


def _line(piece: Evidence) -> tuple[str | None, int | None]:
    return piece.location.path, piece.location.line_start


def _place(piece: Evidence) -> tuple[str, int, str]:
    return piece.location.path or "", piece.location.line_start or 0, piece.id
