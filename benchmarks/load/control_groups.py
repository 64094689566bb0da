"""Control groups that bound how much of the processor their processes use together, and count it.

Version 2, or version 1 with the controllers `cpu` and `cpuacct`.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
# A group that has used its quota up stands still until the next period. Work that comes alone may be
# too quick by about one quota. The kernel allows none that is smaller than LEAST_US.
PERIOD_US, LEAST_US = 10_000, 1_000
# Weight of a group, as of a process that is not niced.
USUAL_WEIGHT = 1024
REMOVE_SECONDS = 10.0


class ControlGroups:
    """Groups below `root` by their names; `a/b` is a group within `a`.

    In version 2 only groups without others within may have processes.
    """

    def __init__(self, root: Path = ROOT) -> None:
        self._is_unified = (root / "cgroup.controllers").exists()
        # The first bounds, the last counts.
        self._roots = [root] if self._is_unified else [root / "cpu", root / "cpuacct"]
        # In the order of removal: what is within others first.
        self._made: list[str] = []

    def make(self, name: str, cores: float | None = None, *, weight: int = USUAL_WEIGHT) -> None:
        """Make a group that may use so many cores, of its share in the group above it.

        Raises OSError where this user or this machine cannot.
        """
        self._made.insert(0, name)
        for root in self._roots:
            (root / name).mkdir()
        group = self._roots[0] / name
        if self._is_unified:
            (group.parent / "cgroup.subtree_control").write_text("+cpu")
            (group / "cpu.weight").write_text(str(max(1, 100 * weight // USUAL_WEIGHT)))
        else:
            (group / "cpu.shares").write_text(str(weight))
        self.limit(name, cores)

    def limit(self, name: str, cores: float | None) -> None:
        """Let the group use so many cores from now on; None for all."""
        group = self._roots[0] / name
        period = max(PERIOD_US, round(LEAST_US / cores)) if cores else PERIOD_US
        quota = round(cores * period) if cores else None
        if self._is_unified:
            (group / "cpu.max").write_text(f"{quota or 'max'} {period}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(period))
            (group / "cpu.cfs_quota_us").write_text(str(quota or -1))

    def lift(self) -> None:
        """Take all limits away."""
        for name in self._made:
            self.limit(name, None)

    def put(self, name: str, process: int) -> None:
        """Move the process, and what it starts from now on; one that has ended is left out."""
        for root in self._roots:
            with suppress(ProcessLookupError):
                (root / name / "cgroup.procs").write_text(str(process))

    def used(self, name: str) -> float:
        """Return the processor seconds of the group and those within it."""
        group = self._roots[-1] / name
        if self._is_unified:
            words = (group / "cpu.stat").read_text().split()
            return int(words[words.index("usage_usec") + 1]) / 1e6
        return int((group / "cpuacct.usage").read_text()) / 1e9

    def remove(self) -> None:
        """Remove all groups; processes that are left go back to the root."""
        for name in self._made:
            for root in self._roots:
                _remove(root / name, root)
        self._made.clear()


def _remove(group: Path, root: Path) -> None:
    deadline = time.monotonic() + REMOVE_SECONDS
    while group.exists():
        for process in (group / "cgroup.procs").read_text().split():
            with suppress(ProcessLookupError):
                (root / "cgroup.procs").write_text(process)
        try:
            group.rmdir()
        # A process that has just ended is in it for a moment.
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
