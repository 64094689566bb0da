"""Waiting for a condition, and times that need no waiting."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

PATIENCE_SECONDS = 60
# Audits give way to everything else on the machine.
AUDIT_PATIENCE_SECONDS = 180
# Each look costs a query or a walk through /proc, so a long wait is looked at less often.
POLL_SECONDS, LONGEST_POLL_SECONDS, POLL_SHARE = 0.1, 1.0, 0.1


def eventually(
    holds: Callable[[], object],
    seconds: float = PATIENCE_SECONDS,
    *,
    describe: Callable[[], object] = lambda: "nothing more is known",
) -> float:
    """Wait until the condition holds; return the seconds. On timeout, `describe` returns the state."""
    begin = time.monotonic()
    while not holds():
        waited = time.monotonic() - begin
        assert waited < seconds, f"not within {seconds} s: {describe()}"
        time.sleep(min(max(waited * POLL_SHARE, POLL_SECONDS), LONGEST_POLL_SECONDS))
    return time.monotonic() - begin


def just_past() -> datetime:
    """Return a time that has come, also where the clock steps back a little."""
    return datetime.now(UTC) - timedelta(seconds=1)
