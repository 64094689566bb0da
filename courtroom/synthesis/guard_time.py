"""Time that guards may take together where a person waits, as in a preview of many reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import thread_time

from courtroom.models.errors import InputRefused


@dataclass(slots=True)
class GuardTime:
    """Processor seconds that guards may still take."""

    seconds: float


_limit: ContextVar[GuardTime | None] = ContextVar("guard_time", default=None)


@contextmanager
def limited(time: GuardTime) -> Iterator[None]:
    """Refuse guards within once they have used up the time (InputRefused, guards_too_slow)."""
    token = _limit.set(time)
    try:
        yield
    finally:
        _limit.reset(token)


@contextmanager
def measured() -> Iterator[None]:
    """Count the time of one guard."""
    time = _limit.get()
    if time is None:
        yield
        return
    if time.seconds <= 0:
        message = "The guards of the rules take too long for a preview. Make them simpler."
        raise InputRefused("guards_too_slow", message)

    start = thread_time()
    try:
        yield
    finally:
        time.seconds -= thread_time() - start
