"""Routers that test what the graph is run with alone."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import STATE, faults, flow_of_files
from tests.courtroom.sources import IMPORTS

NODES = """
def repo(state):
    return {"evidences": {"repo": [1]}, "clone_errors": ["no clone"]}
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""
GRAPH = """
g = StateGraph(State)
g.add_node("repo", repo)
g.add_node("judge", judge)
g.add_node("skip", lambda state: {})
g.add_conditional_edges(START, route, {"run": "repo", "skip": "skip"})
g.add_edge("repo", "judge")
app = g.compile()
"""
BY_INPUT = 'state.get("repo_url")'
DECLARED = f"{STATE}    clone_errors: list\n"


def input_routes_of(test: str, nodes: str = NODES, more: str = "") -> list[str]:
    code = f'def route(state):\n    return "run" if {test} else "skip"\n'
    files = {"src/graph.py": f"{IMPORTS}{DECLARED}{nodes}{code}{GRAPH}{more}"}
    return [fault.sentence for fault in faults(flow_of_files(files), "input_route")]


def test_router_by_an_input_that_no_node_writes_routes_no_failure():
    sentence = (
        "the router after START tests `repo_url`, which no node writes: what fails in a node never"
        " changes its way, and no router reads `clone_errors`, where detectives record failures"
    )
    assert input_routes_of(BY_INPUT) == [sentence]
    assert input_routes_of(BY_INPUT, NODES.replace(', "clone_errors": ["no clone"]', "")) == [
        sentence.partition(", and no router")[0]
    ]


def test_record_of_failures_that_another_router_reads_is_not_named():
    more = """
g.add_conditional_edges("repo", lambda s: "judge" if s["clone_errors"] else END, ["judge", END])
"""
    (sentence,) = input_routes_of(BY_INPUT, more=more)
    assert sentence.endswith("never changes its way")


@pytest.mark.parametrize(
    ("test", "nodes"),
    [
        ('state.get("evidences")', NODES),
        ('state.get("repo_url") and not state["clone_errors"]', NODES),
        (BY_INPUT, NODES.replace('"evidences": {"repo"', '"repo_url": "", "evidences": {"repo"')),
        (BY_INPUT, NODES.replace("return {", "return make() or {")),
    ],
    ids=["evidence", "an input and errors", "a node writes it", "writes that are not known"],
)
def test_router_that_a_failure_may_turn_is_no_fault(test: str, nodes: str):
    assert input_routes_of(test, nodes) == []
