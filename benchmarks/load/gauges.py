"""What could run out, looked at four times a second while students come: which of it does is read
off, not guessed.

| gauge | used | of | it runs out when |
|---|---|---|---|
| processor | mean cores busy, whoever keeps them so | the cores that everything shares | 95 % are busy with what gives way to nobody: audits do |
| threads | the most requests open at once, as students see it | gunicorn's threads | a twentieth of the time more are open |
| connections | the most to PostgreSQL at once | max_connections | nine in ten are taken |
| worker | audits that wait at the end | those that were handed in | a tenth of them waits |
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from auditor_site import webserver
from benchmarks.load.figures import Gauge, Seen

LOOK_SECONDS = 0.25
TICKS = os.sysconf("SC_CLK_TCK")
# Of a core's times in /proc/stat: of processes that give way, and idle or waiting for the disk.
NICE, IDLE = 1, slice(3, 5)
BUSY_SHARE, OPEN_SHARE, TAKEN_SHARE, WAITING_SHARE = 0.95, 0.05, 0.9, 0.1


@dataclass(slots=True)
class Watch:
    """Looks from its own thread until told to stop; `gauges` is what it then says."""

    database_url: str
    seen: Seen
    open: list[int] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    gauges: tuple[Gauge, ...] = ()

    @contextmanager
    def during(self, seconds: float) -> Iterator[None]:
        """Looks for so long, or until the block ends if that is sooner."""
        over = threading.Event()
        looking = threading.Thread(target=self._look, args=(seconds, over))
        looking.start()
        try:
            yield
        finally:
            over.set()
            looking.join()

    def _look(self, seconds: float, over: threading.Event) -> None:
        with psycopg.connect(self.database_url, autocommit=True) as database:
            most = int(_told(database, "SHOW max_connections"))
            begin, busy = time.monotonic(), _busy_seconds()
            for _ in range(round(seconds / LOOK_SECONDS)):
                self.open.append(self.seen.open)
                self.connections.append(
                    int(_told(database, "SELECT count(datid) FROM pg_stat_activity")) - 1
                )
                if over.wait(LOOK_SECONDS):
                    break
            took = time.monotonic() - begin
            shares = [(now - then) / took for now, then in zip(_busy_seconds(), busy, strict=True)]
            self.gauges = (
                _processor(*shares),
                self._threads(),
                self._connections(most),
                self._worker(),
            )

    def _threads(self) -> Gauge:
        threads = webserver.workers * webserver.threads
        over = sum(number > threads for number in self.open) / len(self.open)
        said = f"{max(self.open)} requests open at most, {threads} threads; more than that {over:.0%} of the time"
        return Gauge("threads", said, over >= OPEN_SHARE)

    def _connections(self, most: int) -> Gauge:
        taken = max(self.connections)
        return Gauge("connections", f"{taken} of {most} at most", taken >= TAKEN_SHARE * most)

    def _worker(self) -> Gauge:
        handed_in, waiting = self.seen.handed_in, self.seen.handed_in - self.seen.ended
        said = f"{waiting} of {handed_in} audits wait at the end of it"
        return Gauge("worker", said, waiting >= max(1.0, WAITING_SHARE * handed_in))


def _told(database: psycopg.Connection, question: str) -> str:
    row = database.execute(question.encode()).fetchone()
    assert row is not None  # each of these asks for one value
    return str(row[0])


def _processor(urgent: float, giving_way: float) -> Gauge:
    cores = len(os.sched_getaffinity(0))
    said = f"{urgent + giving_way:.2f} of {cores} cores busy, {giving_way:.2f} of them with what gives way"
    return Gauge("processor", said, urgent >= BUSY_SHARE * cores)


def _busy_seconds() -> tuple[float, float]:
    """Of the cores that this process may use, since the machine started: for what gives way to
    nobody, and the rest.
    """
    ours = {f"cpu{number}" for number in os.sched_getaffinity(0)}
    lines = (line.split() for line in Path("/proc/stat").read_text().splitlines())
    times = [[int(time) for time in words[1:9]] for words in lines if words[0] in ours]
    giving_way = sum(each[NICE] for each in times)
    busy = sum(sum(each) - sum(each[IDLE]) for each in times)
    return (busy - giving_way) / TICKS, giving_way / TICKS
