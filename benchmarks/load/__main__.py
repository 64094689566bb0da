"""Starts the site, lets each step's students in, and prints what they saw and what was busy."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

from benchmarks.load.figures import Seen, Step, closing, hardware, of_step
from benchmarks.load.gauges import Watch
from benchmarks.load.house import House, open_house
from benchmarks.load.material import Material, hand_ins
from benchmarks.load.processor import Meter
from benchmarks.load.visitors import evening, sign_ins

PAGE_SECONDS, SUBMISSION_SECONDS, MOST_QUERIES = 1.0, 2.0, 15
WITHIN_SECONDS = 60.0
SIGN_INS = 20


def main() -> int:
    asked = _asked()
    os.sched_setaffinity(0, {int(core) for core in asked.cores.split(",")})
    with (
        tempfile.TemporaryDirectory(prefix="load-") as name,
        hand_ins(Path(name)) as material,
        open_house(Path(name)) as house,
    ):
        print(hardware(), flush=True)
        steps = []
        for students in asked.steps:
            steps.append(asyncio.run(_step(house, material, students)))
            print(of_step(steps[-1]), flush=True)
        signing_in = asyncio.run(
            sign_ins(house.address, house.town(SIGN_INS, material.repositories))
        )
        queries = house.queries()
    print(closing(steps, signing_in, queries))
    broken = (
        [words for step in steps[-1:] for words in _broken(step, queries)] if asked.judge else []
    )
    for words in broken:
        print(f"NOT HELD: {words}")
    return 1 if broken else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument(
        "--ladder", default="", help="steps such as 50,100,200,400 in place of --students"
    )
    parser.add_argument("--cores", default="0,1", help="the processors that everything shares")
    asked = parser.parse_args()
    asked.steps = [int(n) for n in asked.ladder.split(",")] if asked.ladder else [asked.students]
    asked.judge = not asked.ladder
    return asked


async def _step(house: House, material: Material, students: int) -> Step:
    town = house.town(students, material.repositories)
    seen = Seen()
    watch = Watch(house.environment["DATABASE_URL"], seen)
    with Meter(house.processes) as meter, watch.during(WITHIN_SECONDS):
        await evening(house.address, town, material.report, seen, within=WITHIN_SECONDS)
    return Step(students, seen, meter.busy, watch.gauges)


def _broken(step: Step, queries: dict[str, tuple[int, ...]]) -> list[str]:
    """The bounds of this project that did not hold."""
    pages, submissions = step.seen.percentile(95, "page"), step.seen.percentile(95, "submission")
    most = max(max(counts) for counts in queries.values())
    return [
        words
        for held, words in (
            (not step.seen.failures, f"{len(step.seen.failures)} requests failed"),
            (pages < PAGE_SECONDS, f"p95 of pages is {pages:.2f} s"),
            (submissions < SUBMISSION_SECONDS, f"p95 of submissions is {submissions:.2f} s"),
            (most <= MOST_QUERIES, f"a page asks {most} queries"),
        )
        if not held
    ]


if __name__ == "__main__":
    sys.exit(main())
