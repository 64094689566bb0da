"""Faults of worker machines while students wait: killed, cut off from Valkey, from PostgreSQL."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial

from benchmarks.load.machines.network import Machine
from benchmarks.load.machines.servers import DATABASE, QUEUE
from tests.waiting import eventually

BUSY_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault in words, and when it began and ended in seconds since 1970."""

    words: str
    began: float
    ended: float


@contextmanager
def killed(machine: Machine) -> Iterator[None]:
    machine.power_off()
    try:
        yield
    finally:
        machine.power_on()


FAULTS: tuple[tuple[str, Callable[[Machine], AbstractContextManager[None]]], ...] = (
    ("killed", killed),
    ("cut off from Valkey", lambda machine: machine.cut_off_from(QUEUE)),
    ("cut off from PostgreSQL", lambda machine: machine.cut_off_from(DATABASE)),
)


class FaultSchedule:
    """Faults of one machine after another, in a thread; `faults` are those that are over.

    A machine is left alone until it has an audit at work, so that each fault meets one.
    """

    def __init__(self, workers: Sequence[Machine], *, first: float, seconds: float) -> None:
        """Begin `first` seconds from now; each fault lasts `seconds`, and so does the pause
        after it.
        """
        self.faults: list[Fault] = []
        self._workers, self._first, self._seconds = workers, first, seconds
        self._stopped = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        """Bring the faults about during the block; at its end wait for those that are left."""
        thread = threading.Thread(target=self._run)
        thread.start()
        try:
            yield
        except BaseException:
            self._stopped.set()
            raise
        finally:
            thread.join()

    def _run(self) -> None:
        pause = self._first
        for machine, (words, fault) in zip(self._workers, FAULTS, strict=False):
            if self._stopped.wait(pause):
                return
            eventually(partial(self._may_begin, machine), BUSY_SECONDS)
            began = time.time()
            with fault(machine):
                self._stopped.wait(self._seconds)
            self.faults.append(Fault(f"{machine.name} {words}", began, time.time()))
            pause = self._seconds / 2

    def _may_begin(self, machine: Machine) -> bool:
        return self._stopped.is_set() or machine.is_at_work()
