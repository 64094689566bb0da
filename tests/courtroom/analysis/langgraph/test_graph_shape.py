"""Fan-outs, joins and chains follow from a graph's edges; a graph whose nodes nobody can know has none."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.graph_facts import shape_of
from courtroom.models.facts import establish
from tests.courtroom.analysis.project.test_general_facts import survey
from tests.courtroom.sources import IMPORTS, graph_of

DIAMOND = [
    ("START", "plan"),
    ("plan", "a"),
    ("plan", "b"),
    ("a", "join"),
    ("b", "join"),
    ("join", "END"),
]
UNKNOWN_NODES = f"""{IMPORTS}
def build(team):
    g = StateGraph(dict)
    for name in team.members():
        g.add_node(name, team.act)
        g.add_edge(START, name)
    return g.compile()

app = build(load())
"""


def test_a_split_a_join_and_what_runs_in_a_row():
    assert shape_of(DIAMOND, {}) == {
        "fan_outs": {"plan": ["a", "b"]},
        "joins": {"join": ["a", "b"]},
        "chains": [],
    }
    row = [("START", "a"), ("a", "b"), ("b", "END")]
    assert shape_of(row, {}) == {
        "fan_outs": {},
        "joins": {},
        "chains": [["START", "a", "b", "END"]],
    }


def test_a_router_splits_only_when_it_starts_several_at_once():
    either = shape_of([("START", "a")], {"a": [("b",), ("c",)]})
    both = shape_of([("START", "a")], {"a": [("b", "c"), ("END",)]})
    assert (either["fan_outs"], both["fan_outs"]) == ({}, {"a": ["b", "c"]})


def test_a_ring_has_no_beginning_and_is_no_chain():
    assert shape_of([("a", "b"), ("b", "c"), ("c", "a")], {})["chains"] == []


@pytest.mark.parametrize("code", [f"{IMPORTS}\nbuilder = StateGraph(dict)\n", "x = 1\n"])
def test_a_graph_without_nodes_or_no_graph_is_in_plain_sight(code):
    reading = graph_of(code)
    assert (reading.builder, reading.has_unresolved_graph) == (None, False)


def test_nodes_named_at_run_time_leave_the_graph_and_its_flags_open(tmp_path):
    found = survey({"src/graph.py": UNKNOWN_NODES}, tmp_path)
    facts = establish(dict(found.facts), dict(found.reasons))
    reason = facts.unknown["graph"]
    assert reason.startswith("a StateGraph is built, but src/graph.py:")
    names = (
        "graph",
        "graph_shape",
        "judges_parallel",
        "detectives_parallel",
        "conditional_error_route",
    )
    assert [(getattr(facts, name), facts.unknown[name]) for name in names] == [
        (None, reason)
    ] * len(names)
