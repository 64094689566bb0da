"""Whole commands timed from outside, in turn with a yardstick, so that a ratio holds when the
machine drifts.
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
    """Wall and CPU time in seconds (children included), peak memory of the largest process in MB,
    what it printed.
    """

    wall: float
    cpu: float
    peak_mb: float
    printed: str = ""

    @property
    def told(self) -> float:
        """The seconds that a command which times itself has printed."""
        return float(self.printed)


def timed(command: Sequence[str]) -> Run:
    """One run of a command that must succeed."""
    with tempfile.TemporaryFile("w+") as output:
        begin = perf_counter()
        process = subprocess.Popen(command, stdout=output)
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
    """Every command `runs` times, A B A B ..., after one warm-up of each that does not count."""
    for command in commands:
        timed(command)
    rounds = [[timed(command) for command in commands] for _ in range(runs)]
    return [list(column) for column in zip(*rounds, strict=True)]


def median_of(runs: Sequence[Run], field: str) -> float:
    return float(median(getattr(run, field) for run in runs))
