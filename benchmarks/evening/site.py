"""The site: web processes with their threads, a database, a queue server, workers, a fair queue."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import simpy

from auditor_site import webserver
from benchmarks.evening.costs import Costs, Seconds
from benchmarks.evening.processors import Processors
from grading.core.fair_turns import AHEAD
from grading.management.commands.audit_worker import NICENESS

Process = Generator[simpy.Event, Any, Any]
# Parts in which a request and an audit take turns with PostgreSQL.
REQUEST_PARTS, AUDIT_PARTS = 2, 4
BUSY_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Machines:
    """Machine of each web process and worker, and of the servers. One may have several roles.

    The students' own machines are not simulated where `students` is None.
    """

    web: list[Processors]
    database: Processors
    queue: Processors
    workers: list[Processors]
    students: Processors | None

    @property
    def roles(self) -> dict[str, list[Processors]]:
        return {
            "web": list(dict.fromkeys(self.web)),
            "PostgreSQL": [self.database],
            "Valkey": [self.queue],
            "workers": list(dict.fromkeys(self.workers)),
        }


@dataclass(slots=True)
class Audit:
    """An audit that waits, with the events of its start and end."""

    institution: int
    arrived: float
    number: int
    started: simpy.Event
    ended: simpy.Event


@dataclass(slots=True)
class FairQueue:
    """Queue with a few jobs of each institution at a time (grading/core/fair_turns.py)."""

    jobs: simpy.Store
    lines: dict[int, deque[Audit]] = field(default_factory=dict)
    on_queue: Counter[int] = field(default_factory=Counter)
    numbers: Counter[int] = field(default_factory=Counter)
    taken: Counter[int] = field(default_factory=Counter)
    most: int = 0

    def add(self, audit: Audit) -> None:
        line = self.lines.setdefault(audit.institution, deque())
        line.append(audit)
        self._fill(audit.institution)
        self.most = max(self.most, self.waiting)

    @property
    def waiting(self) -> int:
        return sum(self.numbers.values()) - sum(self.taken.values())

    def take(self, audit: Audit) -> None:
        """Note that a worker took this audit: the next of its line joins the end."""
        self.on_queue[audit.institution] -= 1
        self.taken[audit.institution] += 1
        self._fill(audit.institution)

    def place(self, audit: Audit) -> int:
        """Return the place in the queue, from 1: exact where one institution waits.

        Of several, each is served once in each round.
        """
        ahead = audit.number - self.taken[audit.institution]
        lines = sum(self.numbers[key] > self.taken[key] for key in self.numbers)
        return 1 + max(0, ahead) * max(1, lines)

    def next_number(self, institution: int) -> int:
        self.numbers[institution] += 1
        return self.numbers[institution] - 1

    def _fill(self, institution: int) -> None:
        line = self.lines[institution]
        while line and self.on_queue[institution] < AHEAD:
            self.on_queue[institution] += 1
            self.jobs.put(line.popleft())


class Site:
    """A running site, from measured costs."""

    def __init__(
        self,
        environment: simpy.Environment,
        costs: Costs,
        machines: Machines,
        *,
        threads: int = webserver.threads,
        chance: random.Random,
    ) -> None:
        self.environment, self.costs, self.machines = environment, costs, machines
        self.queue = FairQueue(simpy.Store(environment))
        self.most_open = self.open = 0
        self.busiest: dict[str, float] = {}
        self._chance = chance
        self._outbox = simpy.Store(environment)
        self._unsent: set[int] = set()
        self._web = [simpy.Resource(environment, threads) for _ in machines.web]
        for number, machine in enumerate(machines.workers):
            environment.process(self._worker(number, machine))
        environment.process(self._letter_worker())
        environment.process(self._idle())
        environment.process(self._watch())

    def request(self, kind: str) -> Process:
        """Make one request, and return its seconds."""
        costs, began = self.costs.requests[kind], self.environment.now
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        yield self._browse(costs)
        number = self._accepting()
        with self._web[number].request() as thread:
            yield thread
            yield from self._answer(number, costs)
        yield self._browse(costs)
        self.open -= 1
        return self.environment.now - began

    def _browse(self, costs: Seconds) -> simpy.Event:
        """Return the event of the end of a student's own work before or after a request."""
        students = self.machines.students
        if students is None:
            return self.environment.timeout(0)
        return students.work(costs["the students"] / 2, "students", process="students")

    def _accepting(self) -> int:
        """Return the web process that accepts: any of those that have the fewest requests."""
        loads = [len(web.users) + len(web.queue) for web in self._web]
        least = min(loads)
        return self._chance.choice([n for n, load in enumerate(loads) if load == least])

    def _answer(self, number: int, costs: Seconds) -> Process:
        web = self.machines.web[number]
        for _ in range(REQUEST_PARTS):
            yield web.work(costs["web"] / REQUEST_PARTS, "web", process=number)
            yield self.machines.database.work(costs["postgres"] / REQUEST_PARTS, "postgres")
        yield self.machines.queue.work(costs["valkey"], "valkey", process="valkey")

    def submit(self, institution: int) -> Audit:
        """Put an audit on the queue, and its email into the outbox."""
        audit = Audit(
            institution,
            self.environment.now,
            self.queue.next_number(institution),
            self.environment.event(),
            self.environment.event(),
        )
        self.queue.add(audit)
        if institution not in self._unsent:
            self._unsent.add(institution)
            self._outbox.put(institution)
        return audit

    def _letter_worker(self) -> Process:
        """Send what waits of an institution, in one turn however much it is."""
        seconds, machine = (
            self.costs.requests["submission"]["letter_worker"],
            self.machines.workers[0],
        )
        while True:
            institution = yield self._outbox.get()
            self._unsent.remove(institution)
            yield machine.work(seconds, "letter_worker", process="letter_worker")

    def _worker(self, number: int, machine: Processors) -> Process:
        costs = self.costs.audit
        while True:
            audit: Audit = yield self.queue.jobs.get()
            self.queue.take(audit)
            audit.started.succeed(self.environment.now)
            for _ in range(AUDIT_PARTS):
                yield machine.work(
                    costs["worker"] / AUDIT_PARTS,
                    "worker",
                    process=number,
                    niceness=NICENESS,
                )
                yield self.machines.database.work(costs["postgres"] / AUDIT_PARTS, "postgres")
            yield self.machines.queue.work(costs["valkey"], "valkey", process="valkey")
            audit.ended.succeed(self.environment.now)

    def _watch(self) -> Process:
        """Note how busy each role was in its busiest ten minutes."""
        before = dict.fromkeys(self.machines.roles, 0.0)
        while True:
            yield self.environment.timeout(BUSY_SECONDS)
            for role, machines in self.machines.roles.items():
                used = sum(sum(machine.used.values()) for machine in machines)
                cores = sum(machine.cores for machine in machines)
                share = (used - before[role]) / BUSY_SECONDS / cores
                self.busiest[role] = max(self.busiest.get(role, 0.0), share)
                before[role] = used

    def _idle(self) -> Process:
        """Use what the programs use while nobody asks."""
        while True:
            for name in ("reconciler", "postgres", "valkey"):
                self.machines.database.work(self.costs.idle[name], name)
            yield self.environment.timeout(1.0)
