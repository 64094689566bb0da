"""Steps of the graph at which a fault stops every run, and the order of the next steps by them."""

import pytest

from courtroom.checks.failing_code import FailingCode
from courtroom.checks.graph_run import GraphRun
from courtroom.checks.state_flow import StateFlow
from courtroom.models.facts import establish
from courtroom.synthesis.stopped_runs import stopping_step
from tests.courtroom.surveys import CHECK_FIELDS
from tests.courtroom.synthesis.bench_records import check, criterion
from tests.courtroom.synthesis.test_next_steps import of, steps

RUNS = {
    "combinations": 2,
    "is_complete": True,
    "steps": {"setup": [1], "repo": [2], "docs": [2], "judge": [3, 4], "skip": [3]},
    "runs": [
        {"choices": [], "steps": [["setup"], ["repo", "docs"], ["judge"]], "has_end": True},
        {"choices": [], "steps": [["setup"], ["repo", "docs"], ["skip"]], "has_end": True},
    ],
    "refused": [],
    "repeated": [],
    "idle": [],
    "endless": [],
    "conflicts": [],
    "doubled": [],
}
LINE = {"path": "a.py", "line": 3, "part": "graph", "function": "setup", "why": "uses x"}
PLACE = {"path": "a.py", "line": 3}
LOOP = {"nodes": ["judge"], "places": [PLACE]}
CLASH = {"key": "rows", "nodes": ["repo", "docs"], "places": [PLACE]}
EVERY_RUN = FailingCode(**CHECK_FIELDS, part="graph", every_run=True)
IMPORTS = StateFlow(**CHECK_FIELDS, faults=("broken_import", "no_update"))


def failing(*nodes):
    return {"failing_code": {"functions": {}, "lines": [LINE | {"nodes": nodes}]}}


def run(fault):
    return GraphRun(**CHECK_FIELDS, faults=(fault,))


def flow(kind):
    return {"state_flow": {"faults": [{"kind": kind}], "unread": {}}}


@pytest.mark.parametrize(
    ("check", "facts", "step"),
    [
        (EVERY_RUN, failing("setup"), 1),
        (EVERY_RUN, failing("skip", "docs"), 2),
        (EVERY_RUN, failing("skip"), None),
        (EVERY_RUN, failing(), None),
        (FailingCode(**CHECK_FIELDS, part="graph"), failing("setup"), None),
        (FailingCode(**CHECK_FIELDS, part="judges", every_run=True), failing("setup"), None),
        (run("endless"), {"graph_run": RUNS | {"endless": [LOOP]}}, 3),
        (run("conflicts"), {"graph_run": RUNS | {"conflicts": [CLASH]}}, 2),
        (run("refused"), {"graph_run": RUNS | {"refused": ["no entry"]}}, 0),
        (run("idle"), {"graph_run": RUNS | {"endless": [LOOP]}}, None),
        (IMPORTS, flow("broken_import"), 0),
        (IMPORTS, flow("no_update"), None),
        (EVERY_RUN, failing("setup") | {"graph_run": RUNS | {"combinations": 3}}, None),
        (EVERY_RUN, failing("setup") | {"graph_run": None}, None),
    ],
)
def test_fault_that_stops_every_run_has_its_first_step(check, facts, step):
    assert stopping_step(check, {"graph_run": RUNS} | facts) == step


def test_what_stops_every_run_comes_first_by_its_step():
    checks = {
        "loop": run("endless"),
        "line": EVERY_RUN,
    }
    rows = [row.model_copy(update={"id": name, "essential": True}) for name, row in checks.items()]
    criteria = [
        criterion("words", check("words.a", advice="Do a.", weight=9), check("words.b")),
        *(criterion(row.id, row, check(f"{row.id}.b")) for row in rows),
    ]
    facts = establish(
        failing("setup")
        | {"graph_run": RUNS | {"endless": [LOOP]}, "graph_shape": None, "state_flow": None},
        {},
    )
    outcomes = [of(name, False) for name in ("words.a", *checks)]
    outcomes += [of(f"{row.id}.b", True) for row in criteria]
    chosen = steps(criteria, outcomes, score=2, facts=facts)
    assert [step.criterion_id for step in chosen] == ["line", "loop", "words"]
    stopping = [step.effect.startswith("before it no run reaches a verdict") for step in chosen]
    assert stopping == [True, True, False]
