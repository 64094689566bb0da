"""Time whole commands from outside, in turn with a yardstick.

Taking turns keeps the ratio right when the speed of the machine drifts.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter


@dataclass(frozen=True, slots=True)
class Run:
    """Result of one command: wall and CPU seconds (children included), peak memory in MB, output.

    The memory is that of the largest process.
    """

    wall: float
    cpu: float
    peak_mb: float
    printed: str = ""

    @property
    def own_seconds(self) -> float:
        """Seconds printed by a command that times itself."""
        return float(self.printed)


def timed(command: Sequence[str]) -> Run:
    """Run a command once; it must succeed."""
    with tempfile.TemporaryFile("w+") as output:
        begin = perf_counter()
        process = subprocess.Popen(command, stdout=output)
        # wait4 gives the usage of the child and of the children that it waited for.
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - begin
        output.seek(0)
        printed = output.read()

    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))

    return Run(
        wall=wall,
        cpu=usage.ru_utime + usage.ru_stime,
        peak_mb=usage.ru_maxrss / 1024,
        printed=printed,
    )


def in_turn(commands: Sequence[Sequence[str]], *, runs: int) -> list[list[Run]]:
    """Run every command `runs` times, A B A B ..., after one uncounted warm-up of each."""
    for command in commands:
        timed(command)
    # Taking turns keeps the ratio right when the machine drifts.
    rounds = [[timed(command) for command in commands] for _ in range(runs)]
    return [list(column) for column in zip(*rounds, strict=True)]


def median_of(runs: Sequence[Run], field: str) -> float:
    return float(median(getattr(run, field) for run in runs))
