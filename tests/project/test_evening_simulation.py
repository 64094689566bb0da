"""Processors, fair queue and arithmetic of benchmarks/evening, on cases that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

import pytest
import simpy

from benchmarks.evening.arithmetic import evening_of
from benchmarks.evening.costs import MEASURED, Costs, read_costs
from benchmarks.evening.plans import GROWTH_SECONDS, PLANS
from benchmarks.evening.processors import WEIGHTS, Processors
from benchmarks.evening.site import Audit, FairQueue
from grading.core.fair_turns import AHEAD


@pytest.fixture
def environment() -> simpy.Environment:
    return simpy.Environment()


@pytest.fixture
def costs() -> Costs:
    return read_costs(MEASURED / "costs.json")


def ends_of(environment: simpy.Environment, works: list[simpy.Event]) -> list[float]:
    """Return when each work ended."""
    ends: dict[int, float] = {}

    def watch(number: int, work: simpy.Event) -> Generator[simpy.Event, Any, None]:
        yield work
        ends[number] = environment.now

    for number, work in enumerate(works):
        environment.process(watch(number, work))
    environment.run()
    return [ends[number] for number in range(len(works))]


def test_processes_share_a_core_equally_and_one_uses_no_second_core(
    environment: simpy.Environment,
) -> None:
    single, two = Processors(environment, 1), Processors(environment, 2)
    works = [single.work(1, "a"), single.work(1, "b"), two.work(1, "a")]
    assert ends_of(environment, works) == pytest.approx([2, 2, 1])


def test_threads_of_a_process_take_turns_on_its_core(environment: simpy.Environment) -> None:
    machine = Processors(environment, 2)
    works = [machine.work(1, "web", process=0) for _ in range(2)]
    assert ends_of(environment, works) == pytest.approx([2, 2])


def test_a_niced_process_gets_the_rest_of_a_core_by_its_weight(
    environment: simpy.Environment,
) -> None:
    machine = Processors(environment, 1)
    works = [machine.work(1, "web"), machine.work(1, "worker", niceness=10)]
    share = WEIGHTS[0] / (WEIGHTS[0] + WEIGHTS[10])
    assert ends_of(environment, works) == pytest.approx([1 / share, 2])


def test_half_a_core_takes_twice_as_long(environment: simpy.Environment) -> None:
    assert ends_of(environment, [Processors(environment, 0.5).work(1, "web")]) == [2]


def test_an_institution_has_so_many_audits_on_the_queue_and_others_are_served_between(
    environment: simpy.Environment,
) -> None:
    queue = FairQueue(simpy.Store(environment))
    for institution, number in ((0, AHEAD + 2), (1, 1)):
        for _ in range(number):
            events = environment.event(), environment.event()
            audit = Audit(institution, 0.0, queue.next_number(institution), *events)
            queue.add(audit)
    served: list[int] = []
    while queue.waiting:
        first: Any = queue.jobs.get().value
        queue.take(first)
        served.append(first.institution)
    assert served == [0] * AHEAD + [1] + [0] * 2


def test_no_audit_waits_where_workers_serve_all_and_half_of_them_leave_a_known_queue(
    costs: Costs,
) -> None:
    plan = PLANS[2_000]
    audit_seconds = costs.audit["worker"] + costs.audit["postgres"]
    needed = plan.students / GROWTH_SECONDS * audit_seconds
    enough = evening_of(replace(plan, workers=round(needed) + 1), costs)
    assert (enough.waiting, enough.longest_wait) == (0, 0)
    # With half as many as come: N - N/2 - N/2 * ln 2.
    half = replace(plan, students=round(2 * GROWTH_SECONDS / audit_seconds), workers=1)
    assert evening_of(half, costs).waiting == pytest.approx(half.students * 0.1534, rel=0.01)
