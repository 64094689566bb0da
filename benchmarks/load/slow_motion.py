"""Evening on more machines than this one has processors for, in slow motion: `--slower N`.

All that students do takes N times as long (clock.py), each of their measured seconds is divided by
N, and each machine may use an N-th of its cores (control_groups.py):

| machine | cores | its control groups, each of one core at most |
|---|---|---|
| site | 2 | each process of gunicorn, with the programs that it starts and its sessions of PostgreSQL |
| | | letter worker, niced as it is; all else: PostgreSQL, Valkey, reconciler |
| worker1 ... | 1 | an audit worker with all that it starts |

Without groups of one core, a process that is alone would have both cores' time, and be twice too
fast. What waits for another group still gains: PostgreSQL may serve an audit (a tenth of its time)
while the quota of its worker is used up. Against that, readers of a worker share one core.

A quota is for 10 ms. Measured with N = 5: a process alone gets 1.0 core, three of them 2.0 of the
site's two, and work of 5, 15, 40 and 100 ms that comes at random takes 3.9, 13.4, 38 and 98 ms.

Not slowed: the disk, whose waits count an N-th, and what the site does by the clock. The reconciler
looks N times as often. Limits of ours come N times sooner: a probe of a repository (PROBE_SECONDS)
and connections (CONN_MAX_AGE) are stretched by slow_settings.py. The others make the site work more
or fail: a look at a PDF that waits half a second for its child, or lasts three, starts another
child; one of 20 s, or a reader's 60 s, refuses; a transaction that is idle for 60 s, a lease of 60 s
that no beat renews, and the timeouts of gunicorn and of jobs end. An audit that was not done at the
first attempt misses the goals, and so does a refused submission. So does an evening for which this
machine was too small: it was full for more than a twentieth of its seconds.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from auditor_site import webserver
from benchmarks.load.clock import Clock
from benchmarks.load.control_groups import USUAL_WEIGHT, ControlGroups
from benchmarks.load.processor import busy_seconds, running_processes
from benchmarks.load.site import Site

SITE_CORES, WORKER_CORES = 2, 1
# As the kernel weighs a process of niceness 10 (sched(7)).
NICED_WEIGHT = 110
# Machines and students go before other work.
FIRST_WEIGHT = 100 * USUAL_WEIGHT
LOOK_SECONDS = 1.0
FULL_SHARE, FULL_LOOKS_SHARE = 0.95, 0.05
SESSIONS = "SELECT pid, application_name FROM pg_stat_activity WHERE application_name <> ''"
NOT_AT_ONCE = "SELECT count(*) FROM grading_audit WHERE state <> 'done' OR run_attempt <> 1"


class SlowMotion:
    """Machines of one run; `clock` is the students'."""

    def __init__(self, slower: float, workers: int, groups: ControlGroups | None = None) -> None:
        self.clock = Clock(slower)
        self.settings = {
            "DJANGO_SETTINGS_MODULE": "benchmarks.load.slow_settings",
            "LOAD_SLOWER": str(slower),
        }
        self._groups = groups or ControlGroups()
        self._all = f"load-{os.getpid()}"
        self._site = f"{self._all}/site"
        self._workers = [f"{self._all}/worker{n + 1}" for n in range(workers)]
        self._web: dict[int, str] = {}
        # Of each second: cores of this machine that were busy.
        self.looks: list[float] = []
        self._busy: dict[str, float] = {}
        self.not_at_once = 0

    @contextmanager
    def machines(self) -> Iterator[None]:
        """Make the groups, and remove them when the block and the programs in them are over."""
        try:
            try:
                self._make()
            except OSError as error:
                sys.exit(f"--slower must be able to make control groups with quotas: {error}")
            yield
        finally:
            self._groups.remove()

    @contextmanager
    def during(self, site: Site) -> Iterator[None]:
        """Slow the running site down during the block."""
        self._place(site)
        self.looks = []
        over = threading.Event()
        watch = threading.Thread(target=self._watch, args=(site.environment["DATABASE_URL"], over))
        begin, before = self.clock.now(), self._used()
        watch.start()
        try:
            yield
        finally:
            over.set()
            watch.join()
            seconds = self.clock.now() - begin
            self._busy = {
                name: (used - before[name]) / seconds for name, used in self._used().items()
            }
            self._groups.lift()

    def count(self, database: psycopg.Connection) -> None:
        """Count the audits that were not done at the first attempt."""
        row = database.execute(NOT_AT_ONCE).fetchone()
        assert row is not None  # a count returns one row
        self.not_at_once = row[0]

    def lines(self) -> list[str]:
        busy = ", ".join(
            f"{name.rpartition('/')[2]} {cores:.2f} of {self._cores(name)}"
            for name, cores in self._busy.items()
        )
        real = sum(self.looks) / len(self.looks)
        rest = real - sum(self._busy.values()) / self.clock.slower
        here = f"{real:.2f} of {_cores_here()} cores busy, {rest:.2f} with students and others"
        return [
            f"  {self.clock.slower:g} times slower, cores of each machine busy: {busy}",
            f"  this machine: {here}; full {self._full_share():.0%} of the time",
        ]

    def missed(self) -> list[str]:
        """Return in words why the evening shows nothing, or what its machines did not hold."""
        share, failed = self._full_share(), self.not_at_once
        words = f"this machine was full {share:.0%} of the time, so that the run proves nothing"
        missed = [words] if share > FULL_LOOKS_SHARE else []
        return [*missed, *([f"{failed} audits not done at once"] if failed else [])]

    def _make(self) -> None:
        core = 1 / self.clock.slower
        self._groups.make(self._all, weight=FIRST_WEIGHT)
        # Without a limit, as all that is started from here until it is placed.
        self._groups.make(f"{self._all}/students")
        self._groups.put(f"{self._all}/students", os.getpid())
        self._groups.make(self._site, SITE_CORES * core)
        for name in ("rest", *(f"web{n + 1}" for n in range(webserver.workers))):
            self._groups.make(f"{self._site}/{name}", core)
        self._groups.make(f"{self._site}/letters", core, weight=NICED_WEIGHT)
        for worker in self._workers:
            self._groups.make(worker, WORKER_CORES * core)

    def _place(self, site: Site) -> None:
        """Put every process in its group; what they start later is in it, too."""
        for name, roots in site.processes.items():
            usual = f"{self._site}/{'letters' if name == 'letter_worker' else 'rest'}"
            groups = self._workers if name == "worker" else [usual] * len(roots)
            for root, group in zip(roots, groups, strict=True):
                self._put_tree(group, root)

        web = sorted(_children(site.processes["web"][0]))
        groups = [f"{self._site}/web{n + 1}" for n in range(webserver.workers)]
        self._web = dict(zip(web, groups, strict=True))
        for process, group in self._web.items():
            self._put_tree(group, process)

    def _put_tree(self, group: str, root: int) -> None:
        self._groups.put(group, root)
        for child in _children(root):
            self._put_tree(group, child)

    def _watch(self, database_url: str, over: threading.Event) -> None:
        """Put new sessions of PostgreSQL beside whom they serve, and see what is busy."""
        placed: set[int] = set()
        with psycopg.connect(database_url, autocommit=True) as database:
            while True:
                for process, name in database.execute(SESSIONS).fetchall():
                    group = self._web.get(int(name)) if name.isdigit() else None
                    if group and process not in placed:
                        self._groups.put(group, process)
                        placed.add(process)
                begin, before = time.monotonic(), sum(busy_seconds())
                is_over = over.wait(LOOK_SECONDS)
                self.looks.append((sum(busy_seconds()) - before) / (time.monotonic() - begin))
                if is_over:
                    return

    def _used(self) -> dict[str, float]:
        return {name: self._groups.used(name) for name in (self._site, *self._workers)}

    def _cores(self, name: str) -> int:
        return SITE_CORES if name == self._site else WORKER_CORES

    def _full_share(self) -> float:
        full = FULL_SHARE * _cores_here()
        return sum(busy >= full for busy in self.looks) / len(self.looks)


def _children(root: int) -> list[int]:
    return [pid for pid, process in running_processes().items() if process.parent == root]


def _cores_here() -> int:
    return len(os.sched_getaffinity(0))
