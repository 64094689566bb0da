"""The site's clock: that of PostgreSQL, so that all machines agree on leases, grace and due dates.

Each new connection reads it (grading.core.rls); until the next one, this machine's monotonic clock
goes on from there. Connections live for a minute, so a machine whose clock is wrong or is set anew
does not matter.
"""

from datetime import datetime, timedelta
from time import monotonic

from django.utils import timezone

_own_now = timezone.now
# Moment of the database, and of this machine's monotonic clock when it came.
_reading: tuple[datetime, float] | None = None


def set_by(moment: datetime) -> None:
    """Go on from a moment that the database has just named."""
    global _reading  # noqa: PLW0603 -- one clock for all threads
    _reading = moment, monotonic()


def now() -> datetime:
    """Return the present moment; before the first connection, by this machine's clock."""
    if _reading is None:
        return _own_now()
    moment, read_at = _reading
    return moment + timedelta(seconds=monotonic() - read_at)


def use_everywhere() -> None:
    """Make it Django's clock too, which sets `created_at`, sessions and the like."""
    setattr(timezone, "now", now)  # noqa: B010 -- mypy forbids to replace a function
