"""Sites for 2,000, 20,000 and 200,000 students on the evening of a deadline (docs/scale.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import simpy

from benchmarks.evening.processors import Processors
from benchmarks.evening.site import Machines, Site

# Seconds of the evening before the deadline, and in which arrivals grow e-fold: of all students, 63 %
# come in the last hour and 15 % in the last ten minutes.
EVENING_SECONDS, GROWTH_SECONDS = 4 * 3600.0, 3600.0
# Cores of a machine for web processes or workers, each with as many of them.
CORES = 8


@dataclass(frozen=True, slots=True)
class Plan:
    """A site and its students.

    Web processes and workers have a core each, PostgreSQL `database_cores`, the queue one.
    """

    students: int
    institutions: int
    web_processes: int
    workers: int
    database_cores: int

    @property
    def words(self) -> str:
        return (
            f"{self.students:,} students of {self.institutions} institutions; {self.web_processes} "
            f"web processes, {self.workers} workers, {self.database_cores} cores for PostgreSQL"
        )


PLANS = {
    plan.students: plan
    for plan in (
        Plan(2_000, institutions=5, web_processes=2, workers=2, database_cores=1),
        Plan(20_000, institutions=40, web_processes=4, workers=16, database_cores=4),
        Plan(200_000, institutions=400, web_processes=40, workers=160, database_cores=40),
    )
}


def machines_of(plan: Plan, environment: simpy.Environment) -> Machines:
    return Machines(
        web=_machines(plan.web_processes, environment),
        database=Processors(environment, plan.database_cores),
        queue=Processors(environment, 1),
        workers=_machines(plan.workers, environment),
        students=None,
    )


def _machines(number: int, environment: simpy.Environment) -> list[Processors]:
    """Return the machine of each process: CORES of them share one."""
    machines = [
        Processors(environment, min(CORES, number - first)) for first in range(0, number, CORES)
    ]
    return [machines[process // CORES] for process in range(number)]


def utilisation_of(site: Site) -> Iterator[str]:
    """Yield in words how busy each role was in its busiest ten minutes."""
    for role, share in site.busiest.items():
        yield f"{role} {share:.0%}"
