"""Nodes that wait for a flag which no node of a way to them sets."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import STATE, faults, flow_of_files
from tests.courtroom.sources import IMPORTS

NODES = """
def repo(state):
    return {"flags": {"failed": look(state)}}
def judge(state):
    return {"opinions": [1], "flags": {"bad": len(state["evidences"]) > 1}}
def excuse(state):
    return {}
def retry(state):
    {guard}
    return {"opinions": [2]}
def verdict(state):
    return {}
def route(state):
    return "excuse" if state["flags"].get("failed") else "judge"
def check(state):
    return "retry" if state["flags"].get("bad") else "verdict"
"""
GRAPH = """
g = StateGraph(State)
for node in (repo, judge, excuse, retry, verdict):
    g.add_node(node.__name__, node)
g.add_edge(START, "repo")
g.add_conditional_edges("repo", route, ["excuse", "judge"])
g.add_edge("excuse", "retry")
g.add_conditional_edges("judge", check, ["retry", "verdict"])
g.add_edge("retry", "verdict")
app = g.compile()
"""
FLAGS = f"{STATE}    flags: Annotated[dict, operator.ior]\n"
RUN = "app.invoke({'repo_url': 'u', 'flags': {}})\n"
GUARD = 'if not state.get("flags", {}).get("bad", False):\n        return {}'


def idle_steps_of(guard: str = GUARD, nodes: str = NODES, run: str = RUN) -> list[str]:
    code = nodes.replace("{guard}", guard)
    files = {"src/graph.py": f"{IMPORTS}{FLAGS}{code}{GRAPH}{run}"}
    return [fault.sentence for fault in faults(flow_of_files(files), "idle_step")]


@pytest.mark.parametrize(
    "guard",
    [
        GUARD,
        'flags = state.get("flags") or {}\n    if not flags.get("bad"):\n        return {}',
        'if not state["flags"]["bad"]:\n        return None',
    ],
)
def test_node_behind_a_way_without_its_flag_returns_nothing_there(guard: str):
    (sentence,) = idle_steps_of(guard)
    assert sentence == (
        "the node retry returns nothing where excuse leads to it: it waits for `bad` in `flags`,"
        " which no node sets on this way"
    )


@pytest.mark.parametrize(
    ("guard", "nodes", "run"),
    [
        # The flag is set on both ways, somewhere that is not known, or by the caller.
        (GUARD, NODES.replace('"failed": look(state)', '"failed": 1, "bad": look(state)'), RUN),
        (GUARD, NODES.replace('{"failed": look(state)}', "look(state)"), RUN),
        (GUARD, NODES, RUN.replace("{}", "{'bad': True}")),
        (GUARD, NODES, ""),
        # What is not there is no reason to stop, or something is returned all the same.
        (GUARD.replace("False)", "True)"), NODES, RUN),
        (GUARD.replace("return {}", 'return {"opinions": [3]}'), NODES, RUN),
        ("pass", NODES, RUN),
        # Another flag, which the way to it sets.
        (GUARD.replace("bad", "failed"), NODES, RUN),
    ],
)
def test_node_that_may_do_its_work_on_each_way_is_no_fault(guard: str, nodes: str, run: str):
    assert idle_steps_of(guard, nodes, run) == []
