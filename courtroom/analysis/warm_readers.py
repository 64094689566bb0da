"""Readers of submissions that stay in a worker or a command, whose audits ask forks of them.

Nine tenths of the time that a reading of a small work took was the start and the imports of its
child. A fork has the same limits, sees no file of the submission, gets the bytes by a pipe and may
start no process: docs/decisions/0034-warm-readers.md. Whatever the fork does not answer, an
ordinary child answers, or says why not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from courtroom.analysis.sandbox.sandbox import ChildLimits, reading_limits
from courtroom.analysis.sandbox.warm_children import WarmChildren
from courtroom.models.errors import ChildFailed

SURVEY = "courtroom.analysis.survey"
TEXTS = "courtroom.analysis.prompt_injection.repository_text"
REPORT = "courtroom.analysis.pdf.pdf_child"
# Seconds of processor time for a fork, and of waiting for its answer or for the turn.
FORK_SECONDS, ANSWER_SECONDS = 10, 60.0

# While one reads the report, which takes longest, the other reads sources and texts.
_READERS = WarmChildren(
    2,
    (SURVEY, TEXTS, REPORT),
    fork_seconds=FORK_SECONDS,
    answer_seconds=ANSWER_SECONDS,
    turn_seconds=ANSWER_SECONDS,
)


def prepare_readers() -> None:
    """Have the readers ready for the next process that this one forks."""
    from courtroom.models.case import Limits

    _READERS.prepare(reading_limits(Limits(), output_bytes=0))


def end_readers() -> None:
    """End the readers of this process, which asks no more."""
    _READERS.end()


def readers_are_ready() -> bool:
    return _READERS.is_ready


def answer_warm(
    module: str,
    request: Mapping[str, Any],
    content: bytes,
    *,
    limits: ChildLimits,
) -> dict[str, Any] | None:
    """Return the module's answer; None where an ordinary child must be asked."""
    try:
        return _READERS.answer(module, request, content, limits=limits)
    except ChildFailed:
        return None
