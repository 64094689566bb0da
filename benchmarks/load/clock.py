"""Clock of the students, which may go slower than that of the machine (slow_motion.py)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Clock:
    """Clock of an evening that lasts `slower` times as long: its seconds are that much longer."""

    slower: float = 1.0

    def now(self) -> float:
        """Return seconds of the evening since some moment."""
        return perf_counter() / self.slower

    def real(self, seconds: float) -> float:
        """Return the real seconds which these of the evening last."""
        return seconds * self.slower

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(self.real(seconds))
