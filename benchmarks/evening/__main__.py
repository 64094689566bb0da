"""Simulate the measured ladder, or compute and simulate larger sites."""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import replace
from pathlib import Path
from time import perf_counter

import simpy

from auditor_site import webserver
from benchmarks.evening.arithmetic import evening_of, stock_lines
from benchmarks.evening.comparison import comparison_of
from benchmarks.evening.costs import MEASURED, Costs, read_costs
from benchmarks.evening.plans import (
    EVENING_SECONDS,
    GROWTH_SECONDS,
    PLANS,
    Plan,
    machines_of,
    utilisation_of,
)
from benchmarks.evening.processors import Processors
from benchmarks.evening.site import Machines, Site
from benchmarks.evening.students import Evening, Student, rush_arrivals, uniform_arrivals
from benchmarks.load.__main__ import WITHIN_SECONDS
from benchmarks.load.figures import Figures, figures_of, percentile

SEED = 1


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.evening")
    commands = parser.add_subparsers(dest="command", required=True)
    ladder, site = commands.add_parser("ladder"), commands.add_parser("plan")
    for command in (ladder, site):
        command.add_argument("costs", type=Path, nargs="?", default=MEASURED / "costs.json")
    ladder.add_argument("ladder", type=Path, nargs="?", default=MEASURED / "ladder.json")
    site.add_argument("--students", type=int, choices=sorted(PLANS), default=None)
    site.add_argument("--workers", type=int, help="in place of the plan's (with --students)")
    options = parser.parse_args()
    costs = read_costs(options.costs)
    if options.command == "ladder":
        rows = json.loads(options.ladder.read_text(encoding="utf-8"))
        measured = [Figures(**row) for row in rows]
        print(comparison_of([(row, simulated_step(costs, row)) for row in measured]))
        return
    for students in [options.students] if options.students else sorted(PLANS):
        plan = PLANS[students]
        print_plan(costs, replace(plan, workers=options.workers or plan.workers))


def simulated_step(costs: Costs, measured: Figures) -> Figures:
    """Simulate a step of the load test: everything shares the cores that the step had."""
    environment = simpy.Environment()
    machine = Processors(environment, measured.cores)
    machines = Machines([machine] * webserver.workers, machine, machine, [machine], machine)
    # As benchmarks/load/students.py: the same students come at the same moments.
    chance = random.Random(measured.students)  # noqa: S311 -- the same at every run
    arrivals = list(uniform_arrivals(measured.students, WITHIN_SECONDS, chance))
    site = Site(environment, costs, machines, chance=chance)
    evening = run(site, [(at, 0) for at in arrivals], chance)
    seconds = evening.measurements.seconds
    busy = {name: used / seconds for name, used in machine.used.items()}
    return figures_of(measured.students, evening.measurements, evening.waits, busy, measured.cores)


def print_plan(costs: Costs, plan: Plan) -> None:
    """Print the figures of a larger site, computed and simulated."""
    print(plan.words)
    print("  by arithmetic, at the deadline:")
    for line in (*evening_of(plan, costs).lines(), *stock_lines(plan, costs)):
        print(f"    {line}")
    began = perf_counter()
    site, evening = simulated_plan(costs, plan)
    measurements = evening.measurements
    print(f"  simulated in {perf_counter() - began:.0f} s:")
    print(
        f"    p95 of pages {measurements.percentile(95, 'page'):.2f} s, of submissions "
        f"{measurements.percentile(95, 'submission'):.2f} s; {measurements.requests:,} requests, "
        f"{site.most_open} open at most"
    )
    print(
        f"    {site.queue.most} audits waited at most; p50 {percentile(evening.waits, 50):.0f} s, "
        f"p95 {percentile(evening.waits, 95):.0f} s, longest {max(evening.waits):.0f} s; "
        f"{len(measurements.failures)} students gave up"
    )
    print(f"    busiest ten minutes: {', '.join(utilisation_of(site))}")


def simulated_plan(costs: Costs, plan: Plan) -> tuple[Site, Evening]:
    environment = simpy.Environment()
    chance = random.Random(SEED)  # noqa: S311 -- the same at every run
    site = Site(environment, costs, machines_of(plan, environment), chance=chance)
    times = rush_arrivals(plan.students, EVENING_SECONDS, GROWTH_SECONDS, chance)
    arrivals = [(at, number % plan.institutions) for number, at in enumerate(times)]
    return site, run(site, arrivals, chance)


def run(site: Site, arrivals: list[tuple[float, int]], chance: random.Random) -> Evening:
    """Let the students come, and return what they saw."""
    evening, environment = Evening(), site.environment
    students = [
        environment.process(Student(site, evening, institution, chance).come(at))
        for at, institution in arrivals
    ]
    environment.run(until=environment.all_of(students))
    return evening


if __name__ == "__main__":
    main()
