"""Advice to draw the graph by LangGraph, which draws no way that a router does not declare."""

import pytest

from courtroom.rubric_import.read_rubric import shipped_rubric
from tests.courtroom.synthesis.advised_work import work


@pytest.mark.parametrize(
    ("conditional", "is_named"),
    [([], True), ([{"from": "START", "to": ["prosecutor", "defense"]}], False)],
)
def test_drawing_by_langgraph_is_advised_only_without_routers(conditional, *, is_named):
    graph = {"path": "g.py", "state_graph_line": 3, "nodes": [], "conditional": conditional}
    drawing = work(graph=graph).names.get("drawing", "")
    assert ("draw_mermaid_png()" in drawing) is is_named


def test_shipped_advice_leaves_the_drawing_to_the_graph():
    (criterion,) = (c for c in shipped_rubric("self_audit").criteria if c.id == "swarm_visual")
    assert [
        ("{{drawing|}}" in check.advice, "draw_mermaid" in check.advice)
        for check in criterion.checks
        if check.id in {"visual.present", "visual.picture"}
    ] == [(True, False), (True, False)]
