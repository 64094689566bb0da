"""One evening on the machines, with its faults and what became of the submissions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.load.machines.faults import FAULTS, Fault, FaultSchedule
from benchmarks.load.machines.site import Machines
from benchmarks.load.machines.tally import Tally

# The first fault, and how long each lasts.
FIRST_SECONDS, FAULT_SECONDS = 40.0, 60.0
# After the last report is read: letters are still on their way.
SETTLE_SECONDS = 180.0


@dataclass(slots=True)
class Evening:
    """Faults of the evening, while it lasts; `outcome` counts afterwards."""

    machines: Machines
    calm: bool
    faults: tuple[Fault, ...] = ()

    @contextmanager
    def disturbed(self) -> Iterator[None]:
        """Bring the faults about during the block, unless it is to be calm."""
        if self.calm:
            yield
            return
        schedule = FaultSchedule(self.machines.workers, first=FIRST_SECONDS, seconds=FAULT_SECONDS)
        with schedule.running():
            yield
        self.faults = tuple(schedule.faults)

    def outcome(self, accepted: int) -> tuple[list[str], list[str]]:
        """Return lines to print, and what was lost or came twice in words."""
        tally = self._settled()
        letters = Counter(
            str(letter["Message-ID"]).strip("<>") for letter in self.machines.mail.letters
        )
        lines = [f"{accepted} accepted: {tally.states}; attempts {tally.attempts}"]
        lines += [f"{len(tally.notices)} letters written, {letters.total()} arrived"]
        lines += [_line(fault, tally) for fault in self.faults]
        missed = tally.faults(accepted, letters)
        if not self.calm and len(self.faults) < len(FAULTS):
            missed.append(f"{len(self.faults)} of {len(FAULTS)} faults were brought about")
        return lines, missed

    def _settled(self) -> Tally:
        deadline = time.monotonic() + SETTLE_SECONDS
        while True:
            tally = Tally(**self.machines.site.run("benchmarks.load.machines.tally"))
            if tally.is_settled or time.monotonic() > deadline:
                return tally
            time.sleep(2)


def _line(fault: Fault, tally: Tally) -> str:
    """Return the fault with the audits that were taken back because of it."""
    # A lease runs out a minute after the fault began; the next fault begins later than that.
    ended = [
        end - fault.began
        for at, end in tally.requeued
        if fault.began <= at < fault.began + FAULT_SECONDS * 1.5
    ]
    words = f"{len(ended)} audits were taken back"
    last = f", the last of them ended {max(ended):.0f} s after it began" if ended else ""
    return f"  {fault.words} for {fault.ended - fault.began:.0f} s: {words}{last}"
