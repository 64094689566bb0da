"""Result of a check before it is written down: met or not, the reason, and its clues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from courtroom.models.errors import CourtroomError

# Confidence of evidence, by how it was established (rubric/README.md has the table).
READ_WHOLE, READ_IN_PART, INFERRED, ONLY_WORDS = 1.0, 0.8, 0.6, 0.4
# Caption of a search that lists what the reason counts or sums up.
SEARCHED = "What was looked for, and where."
# A reader opens a handful of places; the rest is counted in the reason.
MOST_CLUES = 4


@dataclass(frozen=True, slots=True)
class Clue:
    """One place to show. Without a `statement`, the lines of `path` are quoted verbatim.

    `is_idle`: nothing runs what stands there, so that its evidence bears no tag of the check.
    """

    rationale: str
    statement: str | None = None
    path: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    page: int | None = None
    commit: str | None = None
    confidence: float = READ_WHOLE
    is_idle: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """`met` is in the criterion's favour: for a negative check it means looked for and not found.

    Null: we could not look, where `has_failed` because a reader failed. A finding that is met or
    unmet shows at least one clue. `fault` says which of several faults that a check is about is so,
    where the rubric has no sentence of its own. `has_reservation`: the reason of a finding that is
    met also says what is missing.
    """

    met: bool | None
    reason: str
    clues: tuple[Clue, ...] = ()
    has_failed: bool = False
    fault: str = ""
    has_reservation: bool = False

    def __post_init__(self) -> None:
        # A score must cite evidence, and what nobody saw has none.
        if (self.met is None) == bool(self.clues):
            message = "a finding shows clues when it is established, and none when it is not"
            raise ValueError(message)


def could_not_look(reason: str) -> Finding:
    return Finding(met=None, reason=reason)


def could_not_read(reason: str) -> Finding:
    """Return the finding on what is there and could not be read: no score follows from it."""
    return Finding(met=None, reason=reason, has_failed=True)


def reader_failed(error: CourtroomError) -> Finding:
    return could_not_read(error.message)


def not_answered() -> Finding:
    """Return the finding where no detective answered a check that it owes: a failure of ours."""
    return Finding(met=None, reason="No detective answered.", has_failed=True)


def absent(
    reason: str,
    looked_for: str,
    *,
    met: bool = False,
    confidence: float = READ_WHOLE,
    fault: str = "",
    caption: str = "",
) -> Finding:
    """Nothing was found; `looked_for` says what, and where, under the caption or else the reason."""
    clue = Clue(rationale=caption or reason, statement=looked_for, confidence=confidence)
    return Finding(met=met, reason=reason, clues=(clue,), fault=fault)


def present(reason: str, clues: Sequence[Clue], *, met: bool = True, fault: str = "") -> Finding:
    """Return a finding that points at the first of these places."""
    return Finding(met=met, reason=reason, clues=tuple(clues[:MOST_CLUES]), fault=fault)
