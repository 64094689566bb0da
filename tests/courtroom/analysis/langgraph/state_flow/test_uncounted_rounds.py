"""Counts of rounds that limit nothing, and lists that an empty update of the same step drops."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of

STATE = """
def kept(old, new):
    if new == []:
        return []
    return (old or []) + (new or [])

class State(TypedDict):
    repo_url: str
    errors: Annotated[list, kept]
    rounds: int
"""
CODE = """
def repo(state):
    errors = []
    if look(state):
        errors.append("no clone")
    return {"errors": errors}

def docs(state):
    errors = []
    try:
        look(state)
    except Exception as error:
        errors.append(str(error))
    return {"errors": errors}

def gate(state):
    if state["errors"]:
        return {"rounds": state.get("rounds", 0) + 1}
    return {}

def route(state):
    rounds = state.get("rounds", 0)
    if state["errors"]:
        return "again"
    return "on"
"""
GRAPH = """
def build():
    g = StateGraph(State)
    g.add_node("begin", lambda state: {})
    g.add_node("repo", repo)
    g.add_node("docs", docs)
    g.add_node("gate", gate)
    g.add_edge(START, "begin")
    g.add_edge("begin", "repo")
    g.add_edge("begin", "docs")
    g.add_edge(["repo", "docs"], "gate")
    g.add_conditional_edges("gate", route, {"again": "begin", "on": END})
    return g.compile()

def main():
    build().invoke({"repo_url": "u", "errors": [], "rounds": 0})
"""
RUN = """
if __name__ == "__main__":
    main()
"""

UNUSED = "route() makes `rounds` and never uses it"
DROPS = (
    "and kept() drops what is there where an update is empty: a node that has none drops what those"
    " before it return"
)


def unused(code: str = CODE, state: str = STATE, graph: str = GRAPH) -> list[FlowFault]:
    return faults(flow_of(f"{state}{code}", graph=graph, run=RUN), "unused_result")


def limits(rows: list[FlowFault]) -> list[tuple[str, bool]]:
    return [(row.sentence, row.is_minor) for row in rows if "`rounds`" in row.sentence]


def drops(rows: list[FlowFault]) -> list[tuple[str, bool]]:
    return [(row.sentence, row.is_minor) for row in rows if "drops" in row.sentence]


def test_a_count_that_the_router_of_its_loop_takes_and_never_tests_limits_nothing():
    assert limits(unused()) == [
        (f"{UNUSED}: gate counts rounds in `rounds`, and no router limits them by it", False)
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The node itself may end the loop by it.
        (
            'if state["errors"]:\n        return {"rounds"',
            'if state["rounds"] < 3:\n        return {"rounds"',
        ),
        ('state.get("rounds", 0) + 1', "look(state)"),
        # Another node reads it.
        ("if look(state):", 'if look(state["rounds"]):'),
    ],
)
def test_a_value_that_counts_nothing_or_is_read_elsewhere_is_unused_and_no_more(old: str, new: str):
    assert old in CODE
    assert limits(unused(CODE.replace(old, new))) == [(UNUSED, True)]


def test_a_count_that_no_loop_leads_back_to_is_unused_and_no_more():
    graph = GRAPH.replace('"again": "begin"', '"again": END')
    assert limits(unused(graph=graph)) == [(UNUSED, True)]


def test_a_reducer_that_begins_anew_drops_what_nodes_of_the_same_step_have_written():
    rows = drops(unused())
    assert rows == [
        (f"docs and repo write `errors` in one step, {DROPS}", False),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # One of the two has always something.
        ("    errors = []\n    if look", '    errors = ["none"]\n    if look'),
        ('    return {"errors": errors}\n\ndef gate', "    return {}\n\ndef gate"),
    ],
)
def test_one_node_that_may_have_nothing_beside_others_that_do(old: str, new: str):
    assert old in CODE
    assert bool(drops(unused(CODE.replace(old, new)))) is ("none" in new)


@pytest.mark.parametrize(
    "reducer",
    ["if new is None:\n        return []", "if new == ['stop']:\n        return []"],
)
def test_a_reducer_that_begins_anew_at_another_value_drops_nothing(reducer: str):
    state = STATE.replace("if new == []:\n        return []", reducer)
    assert drops(unused(state=state)) == []
