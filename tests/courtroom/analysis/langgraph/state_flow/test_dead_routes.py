"""Keys of a conditional edge's map that its router never returns."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import flow_of, sentences

NODES = """
def detective(state):
    return {"evidences": {"repo": [state["repo_url"], state["pdf_path"]]}}
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""


def dead_routes(router: str, ways: str) -> list[str]:
    code = f"{NODES}\ndef route(state):\n    {router}\n"
    graph = f"""
g = StateGraph(State)
g.add_node("detective", detective)
g.add_node("judge", judge)
g.add_edge(START, "detective")
g.add_conditional_edges("detective", route, {ways})
app = g.compile()
"""
    return sentences(flow_of(code, graph=graph), "dead_route")


def test_a_key_that_the_router_never_returns_is_a_way_that_is_never_taken():
    router = 'return "ok" if state["evidences"] else "again"'
    ways = '{"ok": "judge", "again": "detective", "failed": END}'

    assert dead_routes(router, ways) == [
        "the router after detective never returns `failed`: its way to END is never taken"
    ]


@pytest.mark.parametrize(
    ("router", "ways"),
    [
        ('return "ok" if state["evidences"] else "failed"', '{"ok": "judge", "failed": END}'),
        # The way is there by another key.
        ('return "ok"', '{"ok": "judge", "fine": "judge"}'),
        # What it returns is not known before a run.
        ('return state["repo_url"]', '{"ok": "judge", "failed": END}'),
        # The key stands in code that is not followed.
        ('return "failed" if False else "ok"', '{"ok": "judge", "failed": END}'),
    ],
)
def test_a_way_that_may_be_taken_is_no_fault(router, ways):
    assert dead_routes(router, ways) == []
