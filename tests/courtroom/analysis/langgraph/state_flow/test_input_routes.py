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


FLAG = """
def gate(state):
    evidences = state.get("evidences", {})
    missing = False
    if not state.get("repo_url"):
        missing = True
    return {"clone_errors": missing}
def route(state):
    return "skip" if state["clone_errors"] else "judge"
g = StateGraph(State)
g.add_node("repo", lambda state: {"evidences": {"repo": [1]}})
g.add_node("gate", gate)
g.add_node("judge", judge)
g.add_node("skip", lambda state: {})
g.add_edge(START, "repo")
g.add_edge("repo", "gate")
g.add_conditional_edges("gate", route, ["judge", "skip"])
app = g.compile()
"""
TRIM = """
import sys
def setup(state):
    return {"repo_url": state["repo_url"].strip()}
def route(state):
    return "repo" if state["repo_url"] else "skip"
g = StateGraph(State)
g.add_node("setup", setup)
g.add_node("repo", repo)
g.add_node("judge", judge)
g.add_node("skip", lambda state: {})
g.add_edge(START, "setup")
g.add_conditional_edges("setup", route, ["repo", "skip"])
g.add_edge("repo", "judge")
app = g.compile()
app.invoke({"repo_url": sys.argv[1], "pdf_path": ""})
"""


def routes_by(code: str, *changes: tuple[str, str]) -> list[str]:
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    nodes = NODES.replace(', "clone_errors": ["no clone"]', "")
    files = {"src/graph.py": f"{IMPORTS}{DECLARED}{nodes}{code}"}
    return [fault.sentence for fault in faults(flow_of_files(files), "input_route")]


def test_flag_that_hangs_on_an_input_alone_routes_no_failure():
    assert routes_by(FLAG) == [
        (
            "the router after gate tests `clone_errors`, which gate sets only where the input `repo_url`"
            " is empty: what fails in a node never changes its way"
        )
    ]


@pytest.mark.parametrize(
    "change",
    [
        ("    return {", '    if not evidences.get("repo"):\n        missing = True\n    return {'),
        ('{"repo": [1]}}', '{"repo": [1]}, "repo_url": clone()}'),
        ('{"repo": [1]}}', '{"repo": [1]}, "clone_errors": clone()}'),
    ],
    ids=["it asks for evidence", "a node writes the input", "a detective sets it"],
)
def test_flag_that_a_failure_may_set_routes_it(change: tuple[str, str]):
    assert routes_by(FLAG, change) == []


def test_input_that_is_trimmed_before_the_detectives_stays_one():
    assert routes_by(TRIM) == [
        (
            "the router after setup tests `repo_url`, an input that only setup writes again, before the"
            " detectives: what a detective fails to do never changes its way"
        )
    ]


@pytest.mark.parametrize(
    "changes",
    [
        [("sys.argv[1]", '"none"')],
        [('return {"repo_url": state["repo_url"].strip()}', "return make(state)")],
        [('"repo", repo)', '"repo", lambda state: {"repo_url": "", "evidences": {}})')],
    ],
    ids=["a flag of the code", "writes that are not known", "a detective writes it"],
)
def test_key_that_is_no_input_or_changes_later_is_no_fault(changes: list[tuple[str, str]]):
    assert routes_by(TRIM, *changes) == []
