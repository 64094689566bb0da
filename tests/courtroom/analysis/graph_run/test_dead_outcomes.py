"""Ways of routers that no run takes: the stub run leaves them out."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from courtroom.analysis.graph_run.dead_outcomes import untaken, without_dead_ways
from courtroom.analysis.graph_run.run_facts import run_all
from courtroom.analysis.graph_run.stub_graph import stub_graphs
from courtroom.analysis.graph_run.stub_states import stub_state
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.state_flow.dead_routes import dead_ways
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import symbols_of

CODE = """
import operator
from typing import Annotated, TypedDict
from langgraph.graph import END, START, StateGraph

class State(TypedDict):
    url: str
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]

def repo(state):
    return {"evidences": {"repo": [{evidence}]}}
def judge(state):
    return {"opinions": [len(state["evidences"])]}
def check(state):
    {test}
g = StateGraph(State)
g.add_node("repo", repo)
g.add_node("excuse", lambda state: {})
g.add_node("log", lambda state: {})
g.add_node("judge", judge)
g.add_edge(START, "repo")
g.add_edge("repo", "judge")
g.add_edge("excuse", "log")
g.add_edge("log", "judge")
g.add_edge("judge", END)
g.add_conditional_edges("repo", check, {ways})
app = g.compile()
"""
TEST = 'return "ok" if state["evidences"] else "failed"'
WAYS = '{"ok": "judge", "failed": "excuse"}'


def run_of(test: str = TEST, ways: str = WAYS, evidence: str = 'state["url"]') -> dict[str, Any]:
    code = dedent(CODE).replace("{test}", test).replace("{ways}", ways)
    symbols = symbols_of(code.replace("{evidence}", evidence))
    reading = read_graph(symbols, {})
    [access] = read_state_access(symbols, reading)
    [graph] = stub_graphs(reading, [stub_state(symbols, access)])
    fact: dict[str, Any] = run_all(
        [without_dead_ways(graph, dead_ways(symbols, reading, access) or ())]
    )
    return fact


@pytest.mark.parametrize(
    ("test", "ways"),
    [
        (TEST, WAYS),
        (TEST.replace('"ok"', '"judge"').replace('"failed"', '"excuse"'), '["judge", "excuse"]'),
        ('return "ok"', WAYS),
        ('return "ok" if not state.get("error") else "failed"', WAYS),
    ],
    ids=["by a map", "by names", "by a key that is never returned", "by a key that is lost"],
)
def test_way_that_no_run_takes_makes_no_node_run_twice_and_none_idle(test: str, ways: str):
    fact = run_of(test, ways)
    assert (fact["combinations"], fact["repeated"], fact["idle"]) == (1, [], [])
    assert fact["steps"] == {"repo": [1], "excuse": [], "log": [], "judge": [2]}


def test_way_that_a_run_may_take_still_runs_a_node_twice():
    fact = run_of('return "ok" if state["url"] else "failed"')
    assert (fact["combinations"], [row["node"] for row in fact["repeated"]]) == (2, ["judge"])


def test_loop_whose_only_way_out_no_run_takes_never_ends():
    fact = run_of(TEST, '{"ok": "repo", "failed": END}')
    assert [row["nodes"] for row in fact["endless"]] == [["repo", "judge"]]


@pytest.mark.parametrize(
    "tests",
    [
        ['if state.get("pdf"):', '    names.extend(["excuse", "log"])'],
        [
            'if state.get("pdf"):',
            '    names.append("excuse")',
            'if state.get("pictures"):',
            '    names.append("log")',
        ],
    ],
    ids=["by one key", "by two keys"],
)
def test_combination_is_cut_to_the_nodes_that_a_run_starts(tests: list[str]):
    lines = [
        'if not state["url"]:',
        "    return [END]",
        'names = ["judge"]',
        *tests,
        "return names",
    ]
    fact = run_of("\n    ".join(lines), '["judge", "excuse", "log", END]')
    choices = [to for run in fact["runs"] for to in (row["to"] for row in run["choices"])]
    assert sorted(choices) == [["END"], ["judge"]]
    assert fact["steps"] == {"repo": [1], "excuse": [], "log": [], "judge": [2]}


def test_nodes_that_no_run_reaches_by_a_route_are_named():
    symbols = symbols_of(
        dedent(CODE)
        .replace("{test}", TEST)
        .replace("{ways}", WAYS)
        .replace("{evidence}", 'state["url"]')
    )
    reading = read_graph(symbols, {})
    [access] = read_state_access(symbols, reading)
    ways = dead_ways(symbols, reading, access) or ()
    (route,) = reading.routes
    assert untaken(ways, "repo", route.path, route.line) == ["excuse"]
    assert untaken(ways, "judge", route.path, route.line) == []
