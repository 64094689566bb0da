"""Students of a simulated evening: what `benchmarks/load/students.py` asks of the real site."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp, log

import simpy

from benchmarks.evening.site import Audit, Process, Site
from benchmarks.load.figures import Measurements
from benchmarks.load.students import MAX_WAIT_SECONDS, READING_SECONDS
from grading.audits.presenters.progress import MAX_POLL_MS, MIN_POLL_MS, POLL_MS_PER_PLACE

BEFORE, AFTER = ("home", "cohort", "assignment"), ("report", "markdown", "json", "attempts")
# Kinds of costs by the load test's kinds of requests.
KINDS = (
    dict.fromkeys((*BEFORE, "form", "waiting", "report", "attempts"), "page")
    | dict.fromkeys(("poll", "unchanged", "ended"), "progress")
    | dict.fromkeys(("markdown", "json"), "download")
)


@dataclass(slots=True)
class Evening:
    """Times of requests as the load test notes them, and the seconds that each audit waited."""

    measurements: Measurements = field(default_factory=Measurements)
    waits: list[float] = field(default_factory=list)

    def note(self, kind: str, seconds: float) -> None:
        self.measurements.note(KINDS.get(kind, kind), seconds)


def uniform_arrivals(number: int, within: float, chance: random.Random) -> Iterator[float]:
    """Yield when each student comes, as in the load test."""
    for _ in range(number):
        yield chance.uniform(0, within)


def rush_arrivals(
    number: int, seconds: float, scale: float, chance: random.Random
) -> Iterator[float]:
    """Yield arrivals that grow towards a deadline after so many seconds, e-fold in each `scale`."""
    share = 1 - exp(-seconds / scale)
    for _ in range(number):
        yield seconds + scale * log(1 - chance.random() * share)


class Student:
    """One student who hands in, watches and reads."""

    def __init__(
        self, site: Site, evening: Evening, institution: int, chance: random.Random
    ) -> None:
        self._site, self._evening, self._chance = site, evening, chance
        self._environment: simpy.Environment = site.environment
        self._institution = institution

    def come(self, at: float) -> Process:
        yield self._environment.timeout(at)
        for page in BEFORE:
            yield from self._request(page)
            yield from self._read()
        yield from self._request("form")
        yield from self._read()
        yield from self._request("submission")
        audit = self._site.submit(self._institution)
        yield from self._watch(audit)
        if not audit.ended.triggered:
            self._evening.measurements.failures.append("no report within 15 minutes")
            return
        self._evening.waits.append(float(audit.started.value or 0) - audit.arrived)
        for page in AFTER:
            yield from self._request(page)
        self._evening.measurements.seconds = self._environment.now

    def _watch(self, audit: Audit) -> Process:
        yield from self._request("waiting")
        began, place = self._environment.now, 0
        while self._environment.now - began < MAX_WAIT_SECONDS:
            yield self._environment.timeout(self._pause(audit))
            if audit.ended.triggered:
                yield from self._request("ended")
                return
            now = 0 if audit.started.triggered else self._site.queue.place(audit)
            # An audit that runs changes at every stage, one that waits with its place.
            is_changed = now != place or audit.started.triggered
            yield from self._request("poll" if is_changed else "unchanged")
            place = now

    def _pause(self, audit: Audit) -> float:
        place = 1 if audit.started.triggered else self._site.queue.place(audit)
        return min(MAX_POLL_MS, MIN_POLL_MS + POLL_MS_PER_PLACE * (place - 1)) / 1000

    def _read(self) -> Process:
        yield self._environment.timeout(self._chance.uniform(*READING_SECONDS))

    def _request(self, kind: str) -> Process:
        seconds = yield from self._site.request(kind)
        self._evening.note(kind, seconds)
