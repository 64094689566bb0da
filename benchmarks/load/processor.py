"""Processor time of running processes and their descendants, read from /proc."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Self

# /proc counts processor time in ticks.
TICKS = os.sysconf("SC_CLK_TCK")


class Meter:
    """Processor use of groups of processes during a block.

    After the block, `busy` holds processor seconds per second of each group: 1.0 for one core. A
    process counts with the children that it has waited for, so that short ones are not missed.
    Children behind bubblewrap, which waits for none, are missed here; the processor gauge counts
    them.
    """

    def __init__(self, groups: dict[str, list[int]]) -> None:
        self.busy: dict[str, float] = {}
        self._groups = groups

    def __enter__(self) -> Self:
        self._begin, self._used = time.monotonic(), self._look()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        seconds = time.monotonic() - self._begin
        self.busy = {
            name: (used - self._used[name]) / seconds for name, used in self._look().items()
        }

    def _look(self) -> dict[str, float]:
        now = _processes()
        used = {
            name: sum(_used_below(root, now) for root in roots)
            for name, roots in self._groups.items()
        }
        return used | {"the students": now[os.getpid()][1]}


def _used_below(root: int, now: dict[int, tuple[int, float]]) -> float:
    own = now[root][1] if root in now else 0.0
    return own + sum(
        _used_below(pid, now) for pid, (parent, _seconds) in now.items() if parent == root
    )


def _processes() -> dict[int, tuple[int, float]]:
    """Return each process's parent, and the processor seconds of it and its ended children."""
    processes = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                after = (folder / "stat").read_text().rpartition(")")[2].split()
            # The process has just ended.
            except OSError:
                continue
            processes[int(folder.name)] = (int(after[1]), sum(map(int, after[11:15])) / TICKS)

    return processes
