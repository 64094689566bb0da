"""Processors of one machine, shared by weight as Linux shares them (weighted processor sharing)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

import simpy

# Of the kernel's scheduler, by niceness: 0, and 10 for audits (audit_worker.NICENESS).
WEIGHTS = {0: 1024.0, 10: 110.0}
# Rounding of a sum of floats.
LEAST = 1e-9


@dataclass(slots=True)
class _Burst:
    """Work that is left, in processor seconds, and the event of its end."""

    left: float
    end: simpy.Event


@dataclass(slots=True)
class _Runner:
    """Process, as the scheduler sees it. It uses one core: threads of Python take turns."""

    weight: float
    bursts: list[_Burst] = field(default_factory=list)
    rate: float = 0.0


class Processors:
    """Cores of a machine. `used` are the seconds of each kind of work so far."""

    def __init__(self, environment: simpy.Environment, cores: float) -> None:
        self.cores = cores
        self.used: dict[str, float] = {}
        self._environment = environment
        self._runners: dict[Hashable, _Runner] = {}
        self._last = environment.now
        self._round = 0

    def work(
        self,
        seconds: float,
        kind: str,
        *,
        process: Hashable = None,
        niceness: int = 0,
    ) -> simpy.Event:
        """Return the event of the end of so much work; without a process it is one of its own."""
        end = self._environment.event()
        if seconds <= 0:
            return end.succeed()
        self.used[kind] = self.used.get(kind, 0.0) + seconds
        self._advance()
        burst = _Burst(seconds, end)
        key = (kind, process) if process is not None else id(burst)
        runner = self._runners.setdefault(key, _Runner(WEIGHTS[niceness]))
        runner.bursts.append(burst)
        self._share()
        return end

    def _advance(self) -> None:
        """Do the work since the last change."""
        passed, self._last = self._environment.now - self._last, self._environment.now
        if passed <= 0:
            return
        for runner in self._runners.values():
            done = passed * runner.rate / len(runner.bursts)
            for burst in runner.bursts:
                burst.left -= done

    def _share(self) -> None:
        """Share the cores by weight: what one cannot use is left to the others."""
        open_, free = list(self._runners.values()), self.cores
        weight = sum(runner.weight for runner in open_)
        # The heaviest are satisfied first: each can use one core at most.
        for runner in sorted(open_, key=lambda runner: -runner.weight):
            runner.rate = min(1.0, free * runner.weight / weight)
            free -= runner.rate
            weight -= runner.weight
        self._plan_next()

    def _plan_next(self) -> None:
        self._round += 1
        if self._runners:
            first = min(
                min(burst.left for burst in runner.bursts) * len(runner.bursts) / runner.rate
                for runner in self._runners.values()
            )
            # A timeout cannot be taken back: an old one finds another round.
            over = self._environment.timeout(max(0.0, first), self._round)
            over.callbacks.append(self._end)

    def _end(self, over: simpy.Event) -> None:
        if over.value != self._round:
            return
        self._advance()
        for key, runner in list(self._runners.items()):
            ended = [burst for burst in runner.bursts if burst.left <= LEAST]
            for burst in ended:
                runner.bursts.remove(burst)
                burst.end.succeed()
            if not runner.bursts:
                del self._runners[key]
        self._share()
