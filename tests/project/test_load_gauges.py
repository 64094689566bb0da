"""`make load` names the gauges that ran out, and from how many students on."""

from __future__ import annotations

from benchmarks.load.figures import Gauge, Measurements, Step, step_lines, summary_of


def make_step(students: int, **ran_out: bool) -> Step:
    gauges = tuple(Gauge(name, "as seen", out) for name, out in ran_out.items())
    return Step(students, Measurements(), {"web": 0.5}, 2, [], gauges)


def test_exhausted_gauges_are_named_once_in_the_order_of_the_steps():
    steps = [
        make_step(50, processor=False, threads=False, worker=True),
        make_step(100, processor=True, threads=False, worker=True),
    ]
    first, *_ = summary_of(steps, [0.4], {}).splitlines()

    assert (
        first
        == "ran out, in this order: worker at 50 students, processor at 100 students; held: threads"
    )


def test_gauges_that_held_are_named_when_nothing_ran_out():
    first, *_ = summary_of([make_step(50, processor=False, worker=False)], [0.4], {}).splitlines()
    assert first == "ran out, in this order: nothing; held: processor, worker"


def test_lines_of_a_step_show_the_reading_of_each_gauge():
    lines = step_lines(make_step(50, processor=True, worker=False)).splitlines()
    assert lines[-3:] == [
        "  RAN OUT  processor: as seen",
        "  held     worker: as seen",
        "  cores busy until the last: web 0.50",
    ]


def test_percentile_is_one_of_the_measured_times():
    measurements = Measurements(times={"page": [0.4, 0.1, 0.2, 0.3]})
    assert [measurements.percentile(share, "page") for share in (50, 75, 95)] == [0.2, 0.3, 0.4]
    assert measurements.percentile(95, "submission") == 0.0
