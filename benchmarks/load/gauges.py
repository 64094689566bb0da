"""Read four times a second, while students come, what could run out.

| gauge | used | of | it runs out when |
|---|---|---|---|
| processor | mean cores busy | the shared cores | 95 % do unniced work (audits are niced) |
| threads | the most requests open at once | gunicorn's threads | more are open 5 % of the time |
| connections | the most to PostgreSQL at once | max_connections | nine in ten are taken |
| worker | audits that wait at the end | submitted ones | a tenth of them waits |
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psycopg

from auditor_site import webserver
from benchmarks.load.figures import Gauge, Measurements
from benchmarks.load.processor import busy_seconds

# Between two readings.
LOOK_SECONDS = 0.25
# Limits of the table above.
BUSY_SHARE, OPEN_SHARE, TAKEN_SHARE, WAITING_SHARE = 0.95, 0.05, 0.9, 0.1


@dataclass(slots=True)
class Watch:
    """Reader of the gauges, in its own thread; `gauges` holds the result."""

    database_url: str
    measurements: Measurements
    open: list[int] = field(default_factory=list)
    connections: list[int] = field(default_factory=list)
    gauges: tuple[Gauge, ...] = ()

    @contextmanager
    def during(self, seconds: float) -> Iterator[None]:
        """Read for so many seconds, or until the block ends if that is sooner."""
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
            most = int(_value(database, "SHOW max_connections"))
            begin, busy = time.monotonic(), busy_seconds()
            for _ in range(round(seconds / LOOK_SECONDS)):
                self.open.append(self.measurements.open)
                self.connections.append(
                    int(_value(database, "SELECT count(datid) FROM pg_stat_activity")) - 1
                )
                if over.wait(LOOK_SECONDS):
                    break
            took = time.monotonic() - begin
            shares = [(now - then) / took for now, then in zip(busy_seconds(), busy, strict=True)]
            self.gauges = (
                _processor(*shares),
                self._threads(),
                self._connections(most),
                self._worker(),
            )

    def _threads(self) -> Gauge:
        threads = webserver.workers * webserver.threads
        over = sum(number > threads for number in self.open) / len(self.open)
        reading = (
            f"{max(self.open)} requests open at most, {threads} threads; "
            f"more than that {over:.0%} of the time"
        )
        return Gauge("threads", reading, over >= OPEN_SHARE)

    def _connections(self, most: int) -> Gauge:
        taken = max(self.connections)
        return Gauge("connections", f"{taken} of {most} at most", taken >= TAKEN_SHARE * most)

    def _worker(self) -> Gauge:
        submitted, waiting = (
            self.measurements.submitted,
            self.measurements.submitted - self.measurements.ended,
        )
        reading = f"{waiting} of {submitted} audits wait at the end of it"
        return Gauge("worker", reading, waiting >= max(1.0, WAITING_SHARE * submitted))


def _value(database: psycopg.Connection, question: str) -> str:
    row = database.execute(question.encode()).fetchone()
    assert row is not None  # each query returns one value
    return str(row[0])


def _processor(unniced: float, niced: float) -> Gauge:
    cores = len(os.sched_getaffinity(0))
    reading = f"{unniced + niced:.2f} of {cores} cores busy, {niced:.2f} of them with niced work"
    return Gauge("processor", reading, unniced >= BUSY_SHARE * cores)
