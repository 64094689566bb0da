"""The way out to a provider, as whoever runs the court allows it."""

from __future__ import annotations

from typing import Protocol


class NotAdmitted(Exception):
    """The gate did not open in time; the message says for a person what was waited for."""


class Gate(Protocol):
    """Holds all courts that share a provider's key to that provider's limits.

    `enter` returns when one more call of about `tokens` tokens (prompt and answer) may be made, or raises
    NotAdmitted. It runs in the court's event loop and must not block it.
    """

    async def enter(self, tokens: int) -> None: ...


class OpenGate:
    """No limit but the provider's own: the command line, and an endpoint of one's own."""

    async def enter(self, tokens: int) -> None:
        """Everybody may pass."""


OPEN = OpenGate()
