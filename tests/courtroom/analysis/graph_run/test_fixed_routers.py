"""Loops whose router tests nothing that a node of the loop changes."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from courtroom.analysis.graph_run.fixed_routers import with_fixed_routes
from courtroom.analysis.graph_run.run_facts import run_all
from courtroom.analysis.graph_run.stub_graph import stub_graphs
from courtroom.analysis.graph_run.stub_states import stub_state
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import symbols_of

CODE = """
import random
from typing import TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    index: int
    rows: list

def plan(state):
    return {"index": 0}
def judge(state):
    {judge}
def leave(state):
    {test}
g = StateGraph(State)
g.add_node("plan", plan)
g.add_node("judge", judge)
g.add_node("collect", lambda state: {})
g.add_node("verdict", lambda state: {})
g.add_edge(START, "plan")
g.add_edge("plan", "collect")
g.add_edge("judge", "collect")
g.add_conditional_edges("collect", leave, ["judge", "verdict"])
app = g.compile()
"""
TEST = 'return "verdict" if state["index"] >= len(state["rows"]) else "judge"'


def endless_of(judge: str, test: str = TEST) -> list[dict[str, Any]]:
    code = dedent(CODE).replace("{judge}", judge).replace("{test}", test)
    symbols = symbols_of(code)
    reading = read_graph(symbols, {})
    [access] = read_state_access(symbols, reading)
    [graph] = stub_graphs(reading, [stub_state(symbols, access)])
    endless: list[dict[str, Any]] = run_all([with_fixed_routes(graph, reading.routes, access)])[
        "endless"
    ]
    return endless


def test_a_loop_that_changes_nothing_its_router_tests_never_ends():
    [loop] = endless_of("return {}")
    assert (loop["nodes"], loop["routers"]) == (["judge"], ["collect"])
    assert loop["keys"] == ["index", "rows"]
    assert [place["line"] for place in loop["places"]] == [24]


@pytest.mark.parametrize(
    ("judge", "test"),
    [
        ('return {"index": state["index"] + 1}', TEST),
        ('state["rows"].pop()\n    return {}', TEST),
        ("return made(state)", TEST),
        ("return {}", TEST.replace("else", "or random.random() > 0.5 else")),
    ],
    ids=["counts", "changes a list in place", "writes what is not known", "reads chance"],
)
def test_a_loop_that_may_end_is_no_fault(judge, test):
    assert endless_of(judge, test) == []
