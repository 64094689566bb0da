"""What was seen, as numbers: percentiles in seconds, failures in words, and what was busy."""

from __future__ import annotations

import os
import platform
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median


@dataclass(slots=True)
class Seen:
    """Seconds of each request by what it was for (page, progress, submission, download), and what
    failed.

    `open` requests wait for their answer now; of those who have `handed_in`, so many audits have
    `ended`, and so many reports were `read`.
    """

    taken: dict[str, list[float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    open: int = 0
    handed_in: int = 0
    ended: int = 0
    read: int = 0
    seconds: float = 0.0

    def note(self, kind: str, seconds: float) -> None:
        self.taken.setdefault(kind, []).append(seconds)

    def percentile(self, share: int, kind: str) -> float:
        """The nearest-rank percentile; 0 where nothing was asked."""
        times = sorted(self.taken.get(kind, [0.0]))
        return times[max(0, -(-share * len(times) // 100) - 1)]

    @property
    def requests(self) -> int:
        return sum(len(times) for times in self.taken.values())


@dataclass(frozen=True, slots=True)
class Gauge:
    """What could run out, what was seen of it, and whether it did (gauges.py says when)."""

    name: str
    said: str
    ran_out: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One evening. `busy` is over all of it, `gauges` are of the minute in which students come."""

    students: int
    seen: Seen
    busy: dict[str, float]
    gauges: tuple[Gauge, ...]


def hardware() -> str:
    """The processor, how many cores this process may use, and the memory."""
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


def closing(steps: list[Step], signing_in: list[float], queries: dict[str, tuple[int, ...]]) -> str:
    lines = [_ran_out(steps)]
    lines += [
        f"sign-in, one after the other: median {median(signing_in):.2f} s of {len(signing_in)}"
    ]
    lines += ["queries of a page, smallest cohort / largest:"]
    lines += [
        f"  {'/'.join(map(str, counts)):>7}  {page}" for page, counts in sorted(queries.items())
    ]
    return "\n".join(lines)


def of_step(step: Step) -> str:
    seen = step.seen
    rows = [
        f"  {kind:<11} {len(times):>6} requests   p50 {seen.percentile(50, kind):.3f}   "
        f"p95 {seen.percentile(95, kind):.3f}   p99 {seen.percentile(99, kind):.3f} s"
        for kind, times in sorted(seen.taken.items())
    ]
    busy = sorted(step.busy.items(), key=lambda item: -item[1])
    told = [
        f"  failed: {count} x {words}" for words, count in Counter(seen.failures).most_common(10)
    ]
    lines = [
        f"{step.students} students: {seen.requests} requests, {len(seen.failures)} failed",
        f"  {seen.handed_in} handed in, {seen.read} reports read, {seen.seconds:.0f} s until the last",
        *rows,
        *told,
        *(
            f"  {'RAN OUT' if gauge.ran_out else 'held':<8} {gauge.name}: {gauge.said}"
            for gauge in step.gauges
        ),
        "  cores busy until the last: " + ", ".join(f"{name} {share:.2f}" for name, share in busy),
    ]
    return "\n".join(lines)


def _ran_out(steps: list[Step]) -> str:
    """What ran out first, and from how many students on."""
    since: dict[str, int] = {}
    for step in steps:
        for gauge in step.gauges:
            if gauge.ran_out:
                since.setdefault(gauge.name, step.students)
    told = [f"{name} at {students} students" for name, students in since.items()]
    held = [gauge.name for gauge in steps[-1].gauges if gauge.name not in since]
    return f"ran out, in this order: {', '.join(told) or 'nothing'}; held: {', '.join(held) or 'nothing'}"
