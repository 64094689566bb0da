"""`make load LOAD="--slower N"`: clock, control groups, and what the evening then shows."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import httpx
import pytest

from benchmarks.load.__main__ import OWN, SHARED, missed_goals
from benchmarks.load.clock import Clock
from benchmarks.load.control_groups import ControlGroups
from benchmarks.load.figures import Measurements, Step
from benchmarks.load.slow_motion import SlowMotion
from benchmarks.load.students import Browser

# Other test runs of this machine have theirs.
GROUP = f"test-load-{os.getpid()}"
PERSON = {"session": "s", "address": "192.0.2.1"}
BUSY_SECONDS = 1.0
# Prints which part of a core it got.
BUSY = f"""
import sys, time
sys.stdin.readline()
end = time.perf_counter() + {BUSY_SECONDS}
while time.perf_counter() < end: pass
print(time.process_time() / {BUSY_SECONDS})
"""


@pytest.fixture
def groups() -> Iterator[ControlGroups]:
    made = ControlGroups()
    try:
        made.make(GROUP)
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error}")
    yield made
    made.remove()


def busy_in(groups: ControlGroups, *names: str) -> list[float]:
    """Return which part of a core busy processes in these groups get."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in names
    ]
    for process, name in zip(processes, names, strict=True):
        groups.put(name, process.pid)
    for process in processes:
        assert process.stdin
        process.stdin.write("\n")
        process.stdin.flush()
    return [float(process.communicate()[0]) for process in processes]


def make_step(**times: float) -> Step:
    measurements = Measurements({kind: [seconds] for kind, seconds in times.items()})
    measurements.last_submission, measurements.last_read = 1000.0, 1119.0
    return Step(1, measurements, {}, 2, [], ())


@pytest.mark.processes
def test_group_bounds_a_process_that_is_always_busy_and_counts_it(groups):
    groups.make(f"{GROUP}/slow", 0.2)
    (part,) = busy_in(groups, f"{GROUP}/slow")

    # Other work of this machine may take more away.
    assert part < 0.3
    assert groups.used(f"{GROUP}/slow") == pytest.approx(part * BUSY_SECONDS, abs=0.15)


@pytest.mark.processes
def test_groups_share_the_bound_of_the_group_around_them(groups):
    groups.make(f"{GROUP}/site", 0.3)
    names = [f"{GROUP}/site/web{n}" for n in range(2)]
    for name in names:
        groups.make(name, 0.2)

    assert sum(busy_in(groups, *names)) < 0.4


@pytest.mark.processes
def test_processes_of_a_removed_group_go_on_without_a_bound(groups):
    groups.make(f"{GROUP}/slow", 0.2)
    groups.put(f"{GROUP}/slow", os.getpid())
    groups.remove()

    assert GROUP not in Path("/proc/self/cgroup").read_text(encoding="utf-8")
    # Raises where it is still there.
    groups.make(GROUP)


def test_version_2_is_written_as_its_kernel_reads_it(tmp_path):
    (tmp_path / "cgroup.controllers").touch()
    groups = ControlGroups(tmp_path)
    groups.make("load")
    groups.make("load/site", 0.5, weight=110)
    texts = {
        str(path.relative_to(tmp_path)): path.read_text(encoding="utf-8")
        for path in tmp_path.glob("**/c*.*")
    }

    assert texts == {
        "cgroup.controllers": "",
        "cgroup.subtree_control": "+cpu",
        "load/cpu.max": "max 10000",
        "load/cpu.weight": "100",
        "load/cgroup.subtree_control": "+cpu",
        "load/site/cpu.max": "5000 10000",
        "load/site/cpu.weight": "10",
    }


def test_period_grows_where_the_quota_would_be_less_than_the_kernel_allows(tmp_path):
    (tmp_path / "cgroup.controllers").touch()
    ControlGroups(tmp_path).make("load", 0.05)
    assert (tmp_path / "load" / "cpu.max").read_text(encoding="utf-8") == "1000 20000"


def test_clock_that_is_slower_sleeps_longer_and_counts_less():
    clock = Clock(5)
    real, begin = perf_counter(), clock.now()
    asyncio.run(clock.sleep(0.01))
    counted, took = clock.now() - begin, perf_counter() - real

    assert 0.01 <= counted <= took / 5


def test_browser_of_a_slow_evening_notes_its_seconds():
    async def answer(_request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.05)
        return httpx.Response(200)

    async def visit() -> Measurements:
        measurements = Measurements()
        transport = httpx.MockTransport(answer)
        async with httpx.AsyncClient(base_url="http://127.0.0.1", transport=transport) as client:
            begin = perf_counter()
            await Browser(client, PERSON, measurements, Clock(10)).get("/")
            took = perf_counter() - begin
        assert measurements.times["page"][0] <= took / 10
        return measurements

    assert asyncio.run(visit()).times["page"][0] >= 0.005


def test_workers_on_machines_of_their_own_have_goals_of_their_own():
    step = make_step(page=0.16, submission=0.48)
    assert missed_goals(step, {"page": (1,)}, SHARED) == []
    assert missed_goals(step, {"page": (1,)}, OWN) == ["p95 of submissions is 0.480 s"]


def test_evening_proves_nothing_where_this_machine_was_full():
    slow = SlowMotion(5, 4)
    cores = float(len(os.sched_getaffinity(0)))
    slow.looks = [cores, *[cores / 2] * 19]
    held = slow.missed()
    slow.looks = [cores, *[cores / 2] * 9]
    slow.not_at_once = 2

    assert held == []
    assert slow.missed() == [
        "this machine was full 10% of the time, so that the run proves nothing",
        "2 audits not done at once",
    ]


def test_slow_evening_where_no_control_group_can_be_made_ends_with_the_reason(tmp_path):
    slow = SlowMotion(5, 4, ControlGroups(tmp_path))
    with (
        pytest.raises(SystemExit, match="--slower must be able to make control groups with quotas"),
        slow.machines(),
    ):
        pytest.fail("the evening began")
