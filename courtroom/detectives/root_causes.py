"""Checks without their subject: the evidence that it is absent, once, and their outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.checks.registry import Check, subjects_of
from courtroom.checks.subjects import Absence, JsonFacts, absence_of, with_root_cause
from courtroom.detectives.evidence_writer import write_absence
from courtroom.models.evidence import CheckOutcome, Evidence


def hang_on_root_causes(
    checks: Sequence[Check],
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    facts: JsonFacts,
    snapshot: Snapshot | None = None,
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...]]:
    """Replace what says the same of every check on an absent subject by its root cause.

    Only an unmet check can hang on one: what is not established stays so. Raises ChildFailed where
    the line of a root cause cannot be read.
    """
    absences = _absences(checks, outcomes, facts)
    pieces = _written(absences, evidence, snapshot)
    subjects = {check.id: subjects_of(check) for check in checks}
    hung = tuple(
        with_root_cause(outcome, subjects[outcome.check], absence, pieces[absence.cause.code].id)
        if (absence := absences.get(outcome.check))
        else outcome
        for outcome in outcomes
    )

    # A root cause stands where the first check that hangs on it had its evidence.
    items = (
        pieces[absences[item.check].cause.code] if item.check in absences else item
        for item in evidence
    )
    return tuple({item.id: item for item in items}.values()), hung


def _absences(
    checks: Sequence[Check], outcomes: Iterable[CheckOutcome], facts: JsonFacts
) -> dict[str, Absence]:
    """Return the absence by the id of each unmet check that has one."""
    unmet = {outcome.check: outcome.reason for outcome in outcomes if outcome.met is False}
    absences = {
        check.id: absence_of(subjects_of(check), facts, unmet[check.id])
        for check in checks
        if check.id in unmet
    }
    return {check: absence for check, absence in absences.items() if absence}


def _written(
    absences: Mapping[str, Absence], evidence: Sequence[Evidence], snapshot: Snapshot | None
) -> dict[str, Evidence]:
    """Return the evidence of each root cause by its code, no surer than what it replaces."""
    pieces: dict[str, Evidence] = {}
    for absence in absences.values():
        code = absence.cause.code
        if code not in pieces:
            hanging = {check for check, other in absences.items() if other.cause.code == code}
            surest = min(item.confidence for item in evidence if item.check in hanging)
            clue = replace(absence.clue, confidence=surest)
            pieces[code] = write_absence(replace(absence, clue=clue), snapshot)
    return pieces
