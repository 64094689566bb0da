"""Rate limit that the caller of the courtroom may set around calls to a provider."""

from __future__ import annotations

from typing import Protocol


class RateLimitTimeout(Exception):
    """The limit left no room in time; the message tells a person what was waited for."""


class RateLimit(Protocol):
    """Keeps all audits that share a provider's key within that provider's limits.

    `acquire` returns when one more call of about `tokens` tokens (prompt and answer) may be made,
    or raises RateLimitTimeout. It runs in the audit's event loop and must not block it.
    """

    async def acquire(self, tokens: int) -> None: ...


class NoRateLimit:
    """No limit but the provider's own: for the command line and self-hosted endpoints."""

    async def acquire(self, tokens: int) -> None:
        """Return at once."""


NO_LIMIT = NoRateLimit()
