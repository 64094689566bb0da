"""Processor time of running processes and their descendants, read from /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

# /proc counts processor time in ticks.
TICKS = os.sysconf("SC_CLK_TCK")
# Columns of a core in /proc/stat: niced processes, and idle or waiting for the disk.
NICE, IDLE = 1, slice(3, 5)
OTHERS = "others"


class RunningProcess(NamedTuple):
    """Its parent's id, and processor seconds of it and its ended children."""

    parent: int
    seconds: float


class Meter:
    """Processor use of groups of processes during a block.

    After the block, `used` holds the processor seconds of each group, and `busy` the same per second:
    1.0 for one core. A process counts with the children that it has waited for, so that short ones
    are not missed. What else our cores did are OTHERS: other work of the machine, and children
    behind bubblewrap, which waits for none.
    """

    def __init__(self, groups: dict[str, list[int]]) -> None:
        self.busy: dict[str, float] = {}
        self.used: dict[str, float] = {}
        self._groups = groups

    def __enter__(self) -> Self:
        self._begin, self._before = time.monotonic(), self._look()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        seconds = time.monotonic() - self._begin
        self.used = {name: used - self._before[name] for name, used in self._look().items()}
        self.busy = {name: used / seconds for name, used in self.used.items()}

    def _look(self) -> dict[str, float]:
        now = running_processes()
        used = {
            name: sum(_used_below(root, now) for root in roots)
            for name, roots in self._groups.items()
        }
        used["the students"] = now[os.getpid()].seconds
        return used | {OTHERS: sum(busy_seconds()) - sum(used.values())}


def _used_below(root: int, now: dict[int, RunningProcess]) -> float:
    own = now[root].seconds if root in now else 0.0
    return own + sum(
        _used_below(pid, now) for pid, process in now.items() if process.parent == root
    )


def running_processes() -> dict[int, RunningProcess]:
    """Return all processes of this machine."""
    processes = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                after = (folder / "stat").read_text().rpartition(")")[2].split()
            # The process has just ended.
            except OSError:
                continue
            seconds = sum(map(int, after[11:15])) / TICKS
            processes[int(folder.name)] = RunningProcess(int(after[1]), seconds)

    return processes


def busy_seconds() -> tuple[float, float]:
    """Return busy seconds of our cores since the machine started: unniced work, niced work."""
    ours = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    lines = (line.split() for line in Path("/proc/stat").read_text().splitlines())
    times = [[int(time) for time in words[1:9]] for words in lines if words[0] in ours]
    niced = sum(row[NICE] for row in times)
    busy = sum(sum(row) - sum(row[IDLE]) for row in times)
    return (busy - niced) / TICKS, niced / TICKS
