"""`make load` names what ran out, and from how many students on."""

from __future__ import annotations

from benchmarks.load.figures import Gauge, Seen, Step, closing, of_step


def evening(students: int, **ran_out: bool) -> Step:
    gauges = tuple(Gauge(name, "as seen", out) for name, out in ran_out.items())
    return Step(students, Seen(), {"web": 0.5}, gauges)


def test_what_ran_out_is_named_in_the_order_of_the_steps_and_once():
    steps = [
        evening(50, processor=False, threads=False, worker=True),
        evening(100, processor=True, threads=False, worker=True),
    ]
    first, *_ = closing(steps, [0.4], {}).splitlines()
    assert (
        first
        == "ran out, in this order: worker at 50 students, processor at 100 students; held: threads"
    )


def test_where_nothing_ran_out_all_is_said_to_have_held():
    first, *_ = closing([evening(50, processor=False, worker=False)], [0.4], {}).splitlines()
    assert first == "ran out, in this order: nothing; held: processor, worker"


def test_a_step_says_of_each_gauge_what_was_seen():
    lines = of_step(evening(50, processor=True, worker=False)).splitlines()
    assert lines[-3:] == [
        "  RAN OUT  processor: as seen",
        "  held     worker: as seen",
        "  cores busy until the last: web 0.50",
    ]


def test_a_percentile_is_a_time_that_was_seen():
    seen = Seen(taken={"page": [0.4, 0.1, 0.2, 0.3]})
    assert [seen.percentile(share, "page") for share in (50, 75, 95)] == [0.2, 0.3, 0.4]
    assert seen.percentile(95, "submission") == 0.0
