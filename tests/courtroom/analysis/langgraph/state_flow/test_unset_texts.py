"""Ways of a router by a text that no run writes."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import flow_of, sentences

STATE = """
class State(TypedDict):
    error: str
    repo_url: str
    opinions: list
"""
GRAPH = """
g = StateGraph(State)
g.add_node("plan", plan)
g.add_node("judge", judge)
g.add_edge(START, "plan")
g.add_conditional_edges("plan", route, {"ok": "judge", "failed": END})
app = g.compile()
"""
JUDGE = "def judge(state):\n    return {'opinions': [state['repo_url']]}\n"
ROUTE = """
def route(state):
    error = state.get("error", "none")
    if error == "lost":
        return "failed"
    return "ok"
"""
BELOW = """
def plan(state):
    try:
        return {"error": "none"}
    except Exception:
        print(logger)
        return {"error": "lost"}
"""


def dead(plan: str, route: str = ROUTE) -> list[str]:
    return sentences(flow_of(f"{STATE}{plan}{JUDGE}{route}", graph=GRAPH), "dead_route")


def test_way_by_a_text_that_no_code_writes_is_never_taken():
    assert dead("def plan(state):\n    return {'error': 'none'}\n") == [
        "the router after plan returns `failed` in no run: no code writes “lost” to `error`"
    ]


def test_way_by_a_text_below_a_line_that_fails_is_never_taken():
    (sentence,) = dead(BELOW)
    assert "in no run: “lost” is written only below src/graph.py:" in sentence
    assert sentence.endswith(", which fails whenever it runs")


@pytest.mark.parametrize(
    ("plan", "route"),
    [
        (BELOW.replace("print(logger)", "print(state)"), ROUTE),
        ("def plan(state):\n    return {'error': f'lo{state}'}\n", ROUTE),
        ("def plan(state):\n    return {'error': find(state)}\n", ROUTE),
        (
            "def plan(state):\n    return {'error': 'none'}\n",
            ROUTE.replace('error == "lost"', 'error == "lost" or state["repo_url"]'),
        ),
    ],
)
def test_way_by_a_text_that_a_run_may_write_is_no_fault(plan: str, route: str):
    assert dead(plan, route) == []
