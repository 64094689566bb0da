"""Measurements as numbers: percentiles in seconds, failures in words, and busy cores."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median


@dataclass(slots=True)
class Measurements:
    """Seconds of each request by its kind (page, progress, submission, download), and failures.

    `open` requests wait for their answer now. `submitted`, `ended` and `read` count submissions,
    ended audits and read reports, `last_submission` and `last_read` are moments of a clock.
    `asked_again` counts submissions that were to be sent again: many were being checked.
    """

    times: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    open: int = 0
    submitted: int = 0
    asked_again: int = 0
    ended: int = 0
    read: int = 0
    seconds: float = 0.0
    last_submission: float = 0.0
    last_read: float = 0.0

    def note(self, kind: str, seconds: float) -> None:
        self.times.setdefault(kind, []).append(seconds)

    def percentile(self, share: int, kind: str) -> float:
        """Return the nearest-rank percentile; 0 without requests."""
        return percentile(self.times.get(kind, []), share)

    @property
    def requests(self) -> int:
        return sum(len(times) for times in self.times.values())


def percentile(values: Sequence[float], share: int) -> float:
    """Return the nearest-rank percentile; 0 without values."""
    ranked = sorted(values) or [0.0]
    # Rounded up: the smallest value with at least this share at or below it.
    return ranked[max(0, -(-share * len(ranked) // 100) - 1)]


@dataclass(frozen=True, slots=True)
class Gauge:
    """A resource that may run out, its reading, and whether it ran out (see gauges.py)."""

    name: str
    reading: str
    ran_out: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One evening. `busy` is over all of it, `gauges` are of the minute in which students come.

    `cores` are those that other work of the machine left, and `waits` the seconds between a
    submission and the start of its audit.
    """

    students: int
    measurements: Measurements
    busy: dict[str, float]
    cores: float
    waits: list[float]
    gauges: tuple[Gauge, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """An evening in numbers, measured or simulated (benchmarks/evening)."""

    students: int
    requests: int
    pages_p95: float
    submissions_p95: float
    polls_p95: float
    wait_p50: float
    wait_p95: float
    last_read: float
    busy: dict[str, float]
    cores: float


def figures_of(
    students: int,
    measurements: Measurements,
    waits: Sequence[float],
    busy: dict[str, float],
    cores: float,
) -> Figures:
    """Return the numbers of an evening; 95th percentiles and waits are seconds."""
    return Figures(
        students,
        measurements.requests,
        measurements.percentile(95, "page"),
        measurements.percentile(95, "submission"),
        measurements.percentile(95, "progress"),
        percentile(waits, 50),
        percentile(waits, 95),
        measurements.seconds,
        busy,
        cores,
    )


def hardware() -> str:
    """Return the processor, the number of usable cores, and the memory, in words."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0))
    return f"{model}, {cores} cores used, {memory:.0f} GiB; load average before: {load:.1f}"


def summary_of(
    steps: list[Step], signing_in: list[float], queries: dict[str, tuple[int, ...]]
) -> str:
    lines = [_exhausted(steps)]
    lines += [
        f"sign-in, one after the other: median {median(signing_in):.2f} s of {len(signing_in)}"
    ]
    lines += ["queries of a page, smallest cohort / largest:"]
    lines += [
        f"  {'/'.join(map(str, counts)):>7}  {page}" for page, counts in sorted(queries.items())
    ]
    return "\n".join(lines)


def step_lines(step: Step) -> str:
    measurements = step.measurements
    # One line for each kind of request.
    rows = [
        f"  {kind:<11} {len(times):>6} requests   p50 {percentile(times, 50):.3f}   "
        f"p95 {percentile(times, 95):.3f}   p99 {percentile(times, 99):.3f} s"
        for kind, times in sorted(measurements.times.items())
    ]
    busy = sorted(step.busy.items(), key=lambda item: -item[1])
    failures = [
        f"  failed: {count} x {words}"
        for words, count in Counter(measurements.failures).most_common(10)
    ]
    failed, again = len(measurements.failures), f"{measurements.asked_again} sent again"
    last = (
        f"{measurements.seconds:.0f} s until the last, "
        f"{measurements.last_read - measurements.last_submission:.0f} s after the last submission"
    )
    lines = [
        f"{step.students} students: {measurements.requests} requests, {failed} failed",
        f"  {measurements.submitted} submitted ({again}), {measurements.read} reports read, {last}",
        *rows,
        f"  audits waited p50 {percentile(step.waits, 50):.0f}, p95 {percentile(step.waits, 95):.0f} s",
        *failures,
        *(
            f"  {'RAN OUT' if gauge.ran_out else 'held':<8} {gauge.name}: {gauge.reading}"
            for gauge in step.gauges
        ),
        "  cores busy until the last: " + ", ".join(f"{name} {share:.2f}" for name, share in busy),
    ]

    return "\n".join(lines)


def stored(steps: list[Step]) -> str:
    """Return as JSON what a simulation can be compared with."""
    rows = [
        asdict(figures_of(step.students, step.measurements, step.waits, step.busy, step.cores))
        for step in steps
    ]
    return json.dumps(rows, indent=1) + "\n"


def _exhausted(steps: list[Step]) -> str:
    """Return which gauges ran out, in order, and from how many students on."""
    since: dict[str, int] = {}
    for step in steps:
        for gauge in step.gauges:
            if gauge.ran_out:
                since.setdefault(gauge.name, step.students)

    exhausted = [f"{name} at {students} students" for name, students in since.items()]
    held = [gauge.name for gauge in steps[-1].gauges if gauge.name not in since]
    return (
        f"ran out, in this order: {', '.join(exhausted) or 'nothing'}; "
        f"held: {', '.join(held) or 'nothing'}"
    )
