"""Time whole commands from outside, in turn with a yardstick.

Taking turns keeps the ratio right when the speed of the machine drifts.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter

PR_SET_CHILD_SUBREAPER = 36


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
    """Run a command once; it must succeed.

    bubblewrap ends before the process inside it, and does not count it: this process adopts it.
    """
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryFile("w+") as output:
        begin = perf_counter()
        process = subprocess.Popen(command, stdout=output)
        # wait4 gives the usage of the child and of the children that it waited for.
        _, status, usage = os.wait4(process.pid, 0)
        wall = perf_counter() - begin
        usages = [usage, *_adopted_usages()]
        output.seek(0)
        printed = output.read()

    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, list(command))

    return Run(
        wall=wall,
        cpu=sum(usage.ru_utime + usage.ru_stime for usage in usages),
        peak_mb=max(usage.ru_maxrss for usage in usages) / 1024,
        printed=printed,
    )


def _adopted_usages() -> Iterator[resource.struct_rusage]:
    while True:
        try:
            yield os.wait4(-1, 0)[2]
        except ChildProcessError:
            return


def in_turn(commands: Sequence[Sequence[str]], *, runs: int) -> list[list[Run]]:
    """Run every command `runs` times, A B A B ..., after one uncounted warm-up of each."""
    for command in commands:
        timed(command)
    # Taking turns keeps the ratio right when the machine drifts.
    rounds = [[timed(command) for command in commands] for _ in range(runs)]
    return [list(column) for column in zip(*rounds, strict=True)]


def median_of(runs: Sequence[Run], field: str) -> float:
    return float(median(getattr(run, field) for run in runs))
