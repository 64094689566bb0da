"""Fan-outs, joins and chains of a graph; null facts for a graph with unknown nodes."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.graph_facts import graph_fact, shape_of
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


def test_shape_contains_fan_outs_joins_and_chains():
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


def test_a_router_fans_out_only_when_it_starts_several_nodes_together():
    either = shape_of([("START", "a")], {"a": [("b",), ("c",)]})
    both = shape_of([("START", "a")], {"a": [("b", "c"), ("END",)]})
    assert (either["fan_outs"], both["fan_outs"]) == ({}, {"a": ["b", "c"]})


def test_ways_of_which_a_router_takes_one_do_not_join():
    ways = [("b", "d"), ("c", "d")]
    assert shape_of(ways, {"a": [("b",), ("c",)]})["joins"] == {}

    joined = {"d": ["b", "c"]}
    assert shape_of(ways, {"a": [("b", "c")]})["joins"] == joined
    assert shape_of(ways, {"a": [("b",)], "x": [("c",)]})["joins"] == joined
    assert shape_of([*ways, ("x", "c")], {"a": [("b",), ("c",)]})["joins"] == {"d": ["b", "c"]}


def test_a_cycle_is_no_chain():
    assert shape_of([("a", "b"), ("b", "c"), ("c", "a")], {})["chains"] == []


@pytest.mark.parametrize("code", [f"{IMPORTS}\nbuilder = StateGraph(dict)\n", "x = 1\n"])
def test_a_missing_or_empty_graph_is_not_unresolved(code):
    reading = graph_of(code)
    assert (reading.builder, reading.is_open) == (None, False)


def test_nodes_named_at_run_time_make_the_graph_and_its_flags_null(tmp_path):
    result = survey({"src/graph.py": UNKNOWN_NODES}, tmp_path)
    facts = establish(dict(result.facts), dict(result.reasons))
    reason = facts.unknown["graph"]

    assert reason.startswith("a StateGraph is built, but src/graph.py:")
    fact_names = (
        "graph",
        "graph_shape",
        "judges_parallel",
        "detectives_parallel",
        "conditional_error_route",
    )
    assert [(getattr(facts, name), facts.unknown[name]) for name in fact_names] == [
        (None, reason)
    ] * len(fact_names)


@pytest.mark.parametrize(
    ("ways", "merged"),
    [
        ('{"ok": "repo", "failed": "repo"}', ["ok", "failed"]),
        ('{"ok": "repo", "failed": END}', None),
        ('{"ok": "repo"}', None),
        ('["repo"]', None),
    ],
)
def test_words_of_a_map_that_lead_to_one_node_are_named(ways, merged):
    code = f"""{IMPORTS}
def route(state):
    return "ok" if state["path"] else "failed"
g = StateGraph(dict)
g.add_node("clone", lambda state: {{}})
g.add_node("repo", lambda state: {{}})
g.add_edge(START, "clone")
g.add_conditional_edges("clone", route, {ways})
g.add_edge("repo", END)
app = g.compile()
"""
    reading = graph_of(code)
    assert reading.builder is not None
    (row,) = graph_fact(reading, reading.builder)["conditional"]
    assert row.get("merged") == merged
