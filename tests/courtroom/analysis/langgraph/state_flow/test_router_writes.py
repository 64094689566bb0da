"""Routers that set keys of the state."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import faults, flow_of

CODE = """
def detective(state):
    return {"evidences": {"repo": [state["repo_url"], state["pdf_path"]]}}
def judge(state):
    return {"opinions": list(state["evidences"].values())}
def route(state):
    if not state["repo_url"]:
        BODY
        return "end"
    return "judge"
"""
GRAPH = """
g = StateGraph(State)
g.add_node("detective", detective)
g.add_node("judge", judge)
g.add_edge(START, "detective")
g.add_conditional_edges("detective", route, {"judge": "judge", "end": END})
app = g.compile()
"""


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        ('state["pdf_path"] = "none"', "`pdf_path`"),
        (
            'state["pdf_path"] = "none"\n        state["opinions"] += [1]',
            "`pdf_path` and `opinions`",
        ),
        ('state.repo_url = "none"', "`repo_url`"),
    ],
)
def test_what_a_router_sets_in_the_state_is_lost(body: str, keys: str):
    (fault,) = faults(flow_of(CODE.replace("BODY", body), graph=GRAPH), "router_write")
    assert fault.sentence == (
        f"the router after detective sets {keys}, and LangGraph takes no update from a router: what it"
        " sets is lost"
    )


@pytest.mark.parametrize(
    "body",
    [
        'state["opinions"].append(1)',
        'state["evidences"]["repo"] = []',
        'state = dict(state)\n        state["pdf_path"] = "none"',
        'state["own"] = 1',
        'found = {}\n        found["pdf_path"] = "none"',
    ],
)
def test_what_a_router_changes_elsewhere_is_no_fault(body: str):
    assert faults(flow_of(CODE.replace("BODY", body), graph=GRAPH), "router_write") == []
