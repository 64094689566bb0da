"""The kind graph_run: sentences for each fault, and null where the run says nothing."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.checks.graph_run import GraphRun
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, detected, survey

CLEAN: dict[str, Any] = {
    "combinations": 3,
    "is_complete": True,
    "steps": {"judge": [1]},
    "runs": [],
    "refused": [],
    "repeated": [],
    "idle": [],
    "endless": [],
    "conflicts": [],
    "doubled": [],
    "unknown": {},
}
GRAPH = {"path": "src/graph.py", "state_graph_line": 4}
EDGE = {"path": "src/graph.py", "line": 9}
REPEAT = {
    "node": "judge",
    "fork": "START",
    "lengths": [1, 2],
    "steps": [1, 2],
    "starters": [["START"], ["plan"]],
    "followers": ["verdict"],
    "choices": [{"from": "plan", "to": ["judge", "END"]}],
    "places": [EDGE],
}
FAULTS = [
    (
        "refused",
        ["an edge ends at 'x', which is no node"],
        "LangGraph refuses to compile the graph: an edge ends at 'x', which is no node.",
        [("src/graph.py", 4)],
    ),
    (
        "repeated",
        [REPEAT],
        (
            "Where `plan` leads to `judge` and END, `judge` runs twice, in steps 1 and 2: the branches"
            " from START take 1 and 2 steps, and no join waits. `verdict` runs again after it."
        ),
        [("src/graph.py", 9)],
    ),
    (
        "idle",
        [{"node": "vision", "place": EDGE}],
        "`vision` never runs: no route leads to it.",
        [("src/graph.py", 9)],
    ),
    (
        "endless",
        [{"nodes": ["judge", "collect"], "places": [EDGE]}],
        "`judge` and `collect` run until the recursion limit: no route that is taken ends the loop.",
        [("src/graph.py", 9)],
    ),
    (
        "endless",
        [{"nodes": ["judge"], "places": [EDGE], "routers": ["collect"], "keys": ["index", "rows"]}],
        (
            "`judge` runs until the recursion limit: the router after `collect` decides the same in each"
            " round, as no node of the loop changes `index` and `rows`."
        ),
        [("src/graph.py", 9)],
    ),
    (
        "conflicts",
        [{"key": "verdict", "nodes": ["a", "b"], "places": [EDGE]}],
        (
            "`a` and `b` write `verdict` in the same step, and it has no reducer: LangGraph stops with"
            " InvalidUpdateError."
        ),
        [("src/graph.py", 9)],
    ),
    (
        "conflicts",
        [{"key": key, "nodes": ["a", "b"], "places": [EDGE]} for key in ("verdict", "url")],
        (
            "`a` and `b` write `verdict` and `url` in the same step, and they have no reducer: LangGraph"
            " stops with InvalidUpdateError."
        ),
        [("src/graph.py", 9)],
    ),
    (
        "conflicts",
        [{"key": "__root__", "nodes": ["a", "b"], "places": [EDGE]}],
        (
            "`a` and `b` update the state in the same step, and it is a plain dict, which takes one"
            " update: LangGraph stops with InvalidUpdateError."
        ),
        [("src/graph.py", 9)],
    ),
    (
        "doubled",
        [{"key": "opinions", "nodes": ["save"], "places": [EDGE]}],
        (
            "`save` returns what `opinions` held before, and its reducer adds it once more: all entries"
            " are doubled."
        ),
        [("src/graph.py", 9)],
    ),
    (
        "doubled",
        [{"key": "opinions", "nodes": ["save"], "places": [EDGE], "also": ["errors", "notes"]}],
        (
            "`save` returns what `opinions` held before, and its reducer adds it once more: all entries"
            " are doubled. What `errors` and `notes` hold by then, as of a checkpoint of an earlier"
            " run, is returned and doubled too."
        ),
        [("src/graph.py", 9)],
    ),
    (
        "doubled",
        [{"key": "opinions", "nodes": ["save"], "places": [EDGE], "is_rebuilt": True}],
        (
            "`save` makes the entries of `opinions` anew and returns them, and its reducer adds them to"
            " those that are there: all entries are doubled."
        ),
        [("src/graph.py", 9)],
    ),
]


def finding_of(fact: dict[str, Any] | None, *faults: str, reasons: dict[str, str] | None = None):
    check = GraphRun.model_validate({**CHECK_FIELDS, "faults": faults})
    return detected(check, survey(facts={"graph_run": fact, "graph": GRAPH}, reasons=reasons))


@pytest.mark.parametrize(("fault", "rows", "sentence", "places"), FAULTS)
def test_a_fault_is_said_with_its_nodes_and_lines(fault, rows, sentence, places):
    finding = finding_of({**CLEAN, fault: rows}, fault)
    assert (finding.met, finding.reason) == (False, sentence)
    assert clue_lines(finding) == places


def test_what_a_repeated_node_adds_to_a_list_is_there_again():
    added = {"key": "opinions", "nodes": ["judge"], "places": [EDGE]}
    finding = finding_of({**CLEAN, "repeated": [REPEAT | {"added": [added]}]}, "repeated")
    assert finding.reason.endswith(" What `judge` returns under `opinions` is there twice.")


def test_nodes_that_look_at_their_list_before_they_add_to_it_are_said_to():
    guarded = {"key": "opinions", "nodes": ["judge"]}
    finding = finding_of({**CLEAN, "repeated": [REPEAT | {"guarded": [guarded]}]}, "repeated")
    assert finding.reason.endswith(
        " `judge` looks at `opinions` before it adds to it, and may add nothing again."
    )


def test_what_runs_again_behind_a_router_is_said_with_the_router():
    behind = {"followers": ["save", "verdict"], "routed": ["verdict"], "routers": ["judge"]}
    added = {"key": "opinions", "nodes": ["verdict"], "places": [EDGE]}
    finding = finding_of({**CLEAN, "repeated": [REPEAT | behind | {"added": [added]}]}, "repeated")
    assert finding.reason.endswith(
        " `save` runs again after it. `verdict` runs again where the router after `judge` decides the"
        " same each time. What `verdict` returns under `opinions` is then there twice."
    )


def test_a_sound_run_is_said_with_the_number_of_routes():
    finding = finding_of(CLEAN, "repeated", "idle")
    assert finding.met is True
    run = "By LangGraph's rules the graph ran with empty nodes along 3 combinations of its routes"
    assert finding.reason == f"{run}."
    assert finding.clues[0].rationale == (
        f"{run}: no node runs twice because branches differ in length, and a route leads to every node."
    )


def test_list_that_no_run_doubles_is_not_said_to_be_returned_by_no_node():
    reason = finding_of(CLEAN, "doubled").clues[0].rationale
    assert reason.endswith("no list of the state was recognised that is added to itself.")


def test_nodes_to_which_only_ways_lead_that_no_run_takes_are_named():
    fact = CLEAN | {"steps": {"repo": [1], "pdf": [], "vision": []}}
    assert finding_of(fact, "idle").reason.endswith(
        " of its routes. No run takes the ways to `pdf` and `vision`."
    )
    other = finding_of(fact, "doubled")
    assert ("No run" in other.reason, other.has_reservation) == (False, False)


def test_a_fault_that_the_check_does_not_name_does_not_count():
    assert finding_of({**CLEAN, "repeated": [REPEAT]}, "idle").met is True


def test_a_graph_inside_a_node_counts_as_well():
    inner = {**CLEAN, "at": ["detect"], "idle": [{"node": "skim", "place": None}]}
    finding = finding_of({**CLEAN, "inner": [inner]}, "idle")
    assert finding.reason == "Inside `detect`: `skim` never runs: no route leads to it."
    assert clue_lines(finding) == [("src/graph.py", 4)]


def test_a_graph_that_is_not_run_leaves_the_check_open():
    finding = finding_of(None, "idle", reasons={"graph_run": "a router is open"})
    assert (finding.met, finding.reason) == (None, "a router is open")


def test_a_work_without_a_graph_does_not_meet_the_check():
    check = GraphRun.model_validate({**CHECK_FIELDS, "faults": ["idle"]})
    facts = {"graph_run": None, "graph": None, "detectives_parallel": False}
    finding = detected(check, survey(facts=facts, reasons={"graph": "no StateGraph is built"}))
    assert (finding.met, finding.reason) == (False, "no StateGraph is built")


def test_an_open_fault_leaves_the_check_open_unless_another_is_there():
    open_fact = {**CLEAN, "idle": None, "unknown": {"idle": "g.py:3: a router is open"}}
    assert finding_of(open_fact, "idle", "repeated").met is None
    assert finding_of({**open_fact, "repeated": [REPEAT]}, "idle", "repeated").met is False


def test_list_that_a_node_doubles_whenever_it_runs_takes_no_run_of_the_graph():
    row = {"key": "errors", "nodes": ["report"], "places": [EDGE], "is_alone": True}
    facts = {"graph_run": None, "doubled_alone": [row], "graph": GRAPH}
    check = GraphRun.model_validate({**CHECK_FIELDS, "faults": ["doubled"]})
    finding = detected(check, survey(facts=facts))
    assert (finding.met, clue_lines(finding)) == (False, [("src/graph.py", 9)])
    assert finding.reason == (
        "Whenever `report` runs, it returns what `errors` held before, and its reducer adds it once"
        " more: the entries that are there are doubled."
    )
    other = GraphRun.model_validate({**CHECK_FIELDS, "faults": ["idle"]})
    assert detected(other, survey(facts=facts)).met is None
