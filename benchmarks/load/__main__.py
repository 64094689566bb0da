"""Start the site, run the students of each step, and print times and gauges."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass
from math import inf
from pathlib import Path

from benchmarks.load.clock import Clock
from benchmarks.load.costs import measure_costs
from benchmarks.load.figures import Measurements, Step, hardware, step_lines, stored, summary_of
from benchmarks.load.gauges import Watch
from benchmarks.load.processor import OTHERS, Meter
from benchmarks.load.site import PROGRAMS, Site, run_site
from benchmarks.load.slow_motion import SlowMotion
from benchmarks.load.students import run_evening, sign_ins
from benchmarks.load.submissions import Submissions, serve_submissions


@dataclass(frozen=True, slots=True)
class Goals:
    """Seconds: 95th percentiles of pages and submissions, and from the last submission until the
    last report is read.
    """

    pages: float
    submissions: float
    last_read: float = inf


# On one machine with its worker, and with four workers on machines of their own.
SHARED, OWN = Goals(1.0, 2.0), Goals(0.16, 0.47, 120.0)
MOST_QUERIES = 15
WITHIN_SECONDS = 60.0
SIGN_INS = 20
WAITS = "SELECT extract(epoch FROM started_at - queued_at) FROM grading_audit WHERE started_at IS NOT NULL"


def main() -> int:
    options = _options()
    # So that SIGTERM leaves no server and no namespace behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # Everything shares these cores, as on a small machine.
    os.sched_setaffinity(0, {int(core) for core in options.cores.split(",")})
    with (
        tempfile.TemporaryDirectory(prefix="load-") as name,
        serve_submissions(Path(name)) as submissions,
    ):
        if options.machines:
            return _evening_on_machines(options, Path(name), submissions)
        return _ladder(options, Path(name), submissions)


def _ladder(options: argparse.Namespace, folder: Path, submissions: Submissions) -> int:
    workers = options.workers or 1
    programs = () if options.costs else (*PROGRAMS, *["worker"] * (workers - 1))
    bubblewrap = not (options.costs or options.result)
    slow = SlowMotion(options.slower, workers) if options.slower else None
    with (
        slow.machines() if slow else nullcontext(),
        run_site(
            folder, programs, bubblewrap=bubblewrap, settings=slow.settings if slow else {}
        ) as site,
    ):
        print(hardware(), flush=True)
        if options.costs:
            measure_costs(site, submissions, options.costs)
            return 0
        site.settle()
        steps = []
        for students in options.steps:
            steps.append(asyncio.run(_step(site, submissions, students, options.within, slow)))
            print("\n".join([step_lines(steps[-1]), *(slow.lines() if slow else [])]), flush=True)
        signing_in = asyncio.run(
            sign_ins(site.address, site.make_course(SIGN_INS, submissions.repositories))
        )
        queries = site.queries()

    if options.result:
        options.result.write_text(stored(steps), encoding="utf-8")
    print(summary_of(steps, signing_in, queries))
    missed = slow.missed() if slow else []
    if options.judge:
        missed += missed_goals(steps[-1], queries, OWN if slow else SHARED)
    return _judged(missed)


def _evening_on_machines(
    options: argparse.Namespace, folder: Path, submissions: Submissions
) -> int:
    # Its servers are those of Debian, which only this needs.
    from benchmarks.load.machines.evening import Evening
    from benchmarks.load.machines.site import run_machines

    with run_machines(folder, submissions, workers=options.workers or 3) as machines:
        print(hardware(), flush=True)
        evening = Evening(machines, calm=options.calm)
        with evening.disturbed():
            step = asyncio.run(_step(machines.site, submissions, options.students, options.within))
            print(step_lines(step), flush=True)
        lines, missed = evening.outcome(step.measurements.submitted)

    print("\n".join(lines))
    failures = step.measurements.failures
    return _judged([*missed, *([f"{len(failures)} requests failed"] if failures else [])])


def _judged(missed: list[str]) -> int:
    for words in missed:
        print(f"MISSED: {words}")
    return 1 if missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument(
        "--ladder", default="", help="steps such as 50,100,200,400 in place of --students"
    )
    parser.add_argument("--costs", type=Path, help="measure processor time, into this file")
    parser.add_argument("--result", type=Path, help="a file for the steps' figures, as JSON")
    parser.add_argument(
        "--within", type=float, default=WITHIN_SECONDS, help="seconds in which they come"
    )
    parser.add_argument("--machines", action="store_true", help="each program on one of its own")
    parser.add_argument("--workers", type=int, help="how many (1, with --machines 3)")
    parser.add_argument(
        "--slower",
        type=float,
        help="make the evening last so many times as long, each worker on a machine of its own",
    )
    parser.add_argument("--calm", action="store_true", help="no machine is killed or cut off")
    parser.add_argument("--cores", default="0,1", help="the processors that everything shares")
    options = parser.parse_args()
    options.steps = (
        [int(n) for n in options.ladder.split(",")] if options.ladder else [options.students]
    )
    options.judge = not options.ladder
    if options.slower and (options.machines or options.costs):
        parser.error("--slower goes with neither --machines nor --costs")
    return options


async def _step(
    site: Site,
    submissions: Submissions,
    students: int,
    within: float,
    slow: SlowMotion | None = None,
) -> Step:
    course = site.make_course(students, submissions.repositories)
    measurements = Measurements()
    watch = Watch(site.environment["DATABASE_URL"], measurements)
    clock = slow.clock if slow else Clock()
    with (
        slow.during(site) if slow else nullcontext(),
        Meter(site.processes) as meter,
        watch.during(clock.real(within)),
    ):
        await run_evening(
            site.address, course, submissions.report, measurements, within=within, clock=clock
        )
    with site.connected(course) as database:
        rows = database.execute(WAITS).fetchall()
        if slow:
            slow.count(database)
    waits = [float(seconds) / clock.slower for (seconds,) in rows]
    cores = len(os.sched_getaffinity(0)) - meter.busy[OTHERS]
    busy = {name: share * clock.slower for name, share in meter.busy.items()}
    if slow:
        del busy[OTHERS]
    return Step(students, measurements, busy, cores, waits, watch.gauges)


def missed_goals(step: Step, queries: dict[str, tuple[int, ...]], goals: Goals) -> list[str]:
    """Return the goals of this project that the step missed, in words."""
    last_read = step.measurements.last_read - step.measurements.last_submission
    pages, submissions = (
        step.measurements.percentile(95, "page"),
        step.measurements.percentile(95, "submission"),
    )
    most = max(max(counts) for counts in queries.values())
    return [
        words
        for held, words in (
            (not step.measurements.failures, f"{len(step.measurements.failures)} requests failed"),
            (pages <= goals.pages, f"p95 of pages is {pages:.3f} s"),
            (submissions <= goals.submissions, f"p95 of submissions is {submissions:.3f} s"),
            (last_read <= goals.last_read, f"the last report was read after {last_read:.0f} s"),
            (most <= MOST_QUERIES, f"a page asks {most} queries"),
        )
        if not held
    ]


if __name__ == "__main__":
    sys.exit(main())
