"""State of a finding, computed from its sightings in the order of attempts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.core.enums import FindingState


@dataclass(frozen=True, slots=True)
class Observation:
    """Presence of a finding in one report of one attempt. An `imported` report is unsigned."""

    attempt: int
    present: bool
    imported: bool = False


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """State with attempt numbers: first seen, last seen, and gone since (None unless fixed)."""

    state: FindingState
    first: int
    last: int
    fixed: int | None


def lifecycle_of(observations: Sequence[Observation]) -> Lifecycle:
    """Return the lifecycle; `observations` are in the order in which their audits started.

    At least one must be present. An imported report can say that a finding was seen; once the
    platform itself has looked, only the platform decides what became of it.
    """
    seen_in = [row.attempt for row in observations if row.present]
    decisive = [row for row in observations if not row.imported] or list(observations)
    started = min((row.attempt for row in decisive if row.present), default=min(seen_in))
    # The latest audit of an attempt decides: later rows overwrite earlier ones.
    by_attempt = {row.attempt: row.present for row in decisive}

    state, fixed, was_present, was_fixed = FindingState.OPEN, None, False, False
    for attempt, present in sorted(by_attempt.items()):
        if present:
            state = FindingState.REGRESSED if was_fixed else FindingState.OPEN
            fixed, was_present = None, True
        elif fixed is None and attempt >= started:
            # A finding regresses only if an attempt ended with it: else it was never fixed.
            state, fixed, was_fixed = FindingState.FIXED, attempt, was_present

    return Lifecycle(state=state, first=min(seen_in), last=max(seen_in), fixed=fixed)
