"""Needs of a site on the evening of a deadline, by arithmetic on measured costs.

Arrivals grow e-fold in GROWTH_SECONDS, so at the deadline students / GROWTH_SECONDS come each
second. Where workers serve fewer, audits wait from the moment on at which as many come as are
served; the rest is an integral.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

from auditor_site import webserver
from benchmarks.evening.costs import Costs, Seconds
from benchmarks.evening.plans import GROWTH_SECONDS, Plan
from benchmarks.evening.students import AFTER, BEFORE
from grading.audits.presenters.progress import MAX_POLL_MS, MIN_POLL_MS

# Connections to PostgreSQL of a worker: its own, and the one that renews its lease.
WORKER_CONNECTIONS = 2
ARRIVING, READING = (*BEFORE, "form", "submission", "waiting"), ("ended", *AFTER)


@dataclass(frozen=True, slots=True)
class Evening:
    """Site at the moment of its deadline. `cores` are busy; `longest_wait` is the last audit's."""

    arrivals: float
    served: float
    waiting: float
    longest_wait: float
    requests: float
    cores: Seconds
    connections: int

    def lines(self) -> Iterator[str]:
        yield (
            f"{self.arrivals:.2f} submissions and {self.served:.2f} audits a second, "
            f"{self.requests:.0f} requests a second"
        )
        yield f"{self.waiting:.0f} audits wait, the last of them {self.longest_wait:.0f} s"
        yield "cores busy: " + ", ".join(f"{name} {n:.2f}" for name, n in self.cores.items())
        yield f"{self.connections} connections to PostgreSQL"


def evening_of(plan: Plan, costs: Costs) -> Evening:
    audit_seconds = costs.audit["worker"] + costs.audit["postgres"]
    arrivals, capacity = plan.students / GROWTH_SECONDS, plan.workers / audit_seconds
    served, waiting = min(arrivals, capacity), 0.0
    if arrivals > capacity:
        since = GROWTH_SECONDS * log(arrivals / capacity)
        waiting = plan.students - capacity * (GROWTH_SECONDS + since)
    polls = 1000 * (waiting / MAX_POLL_MS + served * audit_seconds / MIN_POLL_MS)
    return Evening(
        arrivals=arrivals,
        served=served,
        waiting=waiting,
        longest_wait=waiting / capacity,
        requests=arrivals * len(ARRIVING) + served * len(READING) + polls,
        cores=_cores(costs, arrivals, served, polls),
        connections=plan.web_processes * webserver.threads + plan.workers * WORKER_CONNECTIONS,
    )


def _cores(costs: Costs, arrivals: float, served: float, polls: float) -> Seconds:
    """Return the busy cores by program, where so many of each come every second."""
    rates = dict.fromkeys(ARRIVING, arrivals) | dict.fromkeys(READING, served) | {"poll": polls}
    cores = {
        name: sum(rate * costs.requests[kind][name] for kind, rate in rates.items())
        for name in ("web", "postgres", "valkey")
    }
    for name in ("postgres", "valkey"):
        cores[name] += served * costs.audit[name]
        cores[name] += costs.idle[name]
    cores["workers"] = served * costs.audit["worker"]
    return cores


def stock_lines(plan: Plan, costs: Costs) -> Iterator[str]:
    """Yield what the evening leaves: rows of the longest tables, and bytes."""
    longest = sorted(costs.rows.items(), key=lambda row: -row[1])[:4]
    rows = ", ".join(f"{table.removeprefix('grading_')} {n:.0f}" for table, n in longest)
    yield f"{plan.students * sum(costs.rows.values()):,.0f} rows (of a student: {rows}, ...)"
    yield ", ".join(
        f"{plan.students * number / 1e9:,.1f} GB of {name}" for name, number in costs.bytes.items()
    )
