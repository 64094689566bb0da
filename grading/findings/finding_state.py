"""The life of a finding, told by its sightings in the order of the attempts: open, fixed, regressed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grading.core.enums import FindingState


@dataclass(frozen=True, slots=True)
class Word:
    """One report's word: in which attempt, and whether it is there. `imported` is unsigned."""

    attempt: int
    present: bool
    imported: bool = False


@dataclass(frozen=True, slots=True)
class Life:
    """By the numbers of attempts: first and last seen, and since which it is gone (null unless it is fixed)."""

    state: FindingState
    first: int
    last: int
    fixed: int | None


def life_of(words: Sequence[Word]) -> Life:
    """`words` in the order in which their audits began; at least one says that it is there.

    Of several audits of an attempt the latest decides, and what no attempt was left with cannot come back. An imported
    report says that something was seen; what has become of it is the platform's word alone, once there is one.
    """
    seen = [word.attempt for word in words if word.present]
    told = [word for word in words if not word.imported] or list(words)
    begun = min((word.attempt for word in told if word.present), default=min(seen))
    by_attempt = {word.attempt: word.present for word in told}
    state, fixed, was_there, was_fixed = FindingState.OPEN, None, False, False
    for attempt, present in sorted(by_attempt.items()):
        if present:
            state, fixed, was_there = (
                FindingState.REGRESSED if was_fixed else FindingState.OPEN,
                None,
                True,
            )
        elif fixed is None and attempt >= begun:
            state, fixed, was_fixed = FindingState.FIXED, attempt, was_there
    return Life(state=state, first=min(seen), last=max(seen), fixed=fixed)
