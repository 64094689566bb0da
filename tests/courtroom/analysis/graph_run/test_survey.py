"""The stub run as part of a survey: in a confined child, without the student's code."""

from __future__ import annotations

import pytest

from courtroom.models.facts import establish
from tests.courtroom.analysis.project.test_general_facts import survey
from tests.courtroom.sources import built

pytestmark = pytest.mark.processes

BRANCHES = """
def route(state) -> str:
    return "judge" if state["ready"] else "excuse"
g.add_edge(START, "plan")
g.add_conditional_edges("plan", route, ["judge", "excuse"])
"""
# Left to LangGraph itself, in a child.
DEFERRED = BRANCHES + 'g.add_node("late", late, defer=True)\ng.add_edge("judge", "late")\n'
NODES = ["plan", "judge", "excuse"]


def test_a_graph_is_run_in_langgraph_without_the_students_code(tmp_path):
    # A process that runs or imports these modules ends.
    code = built(DEFERRED, NODES) + "\nraise SystemExit\n"
    result = survey({"src/graph.py": code, "langgraph.py": "raise SystemExit\n"}, tmp_path)
    fact = establish(dict(result.facts), dict(result.reasons)).graph_run

    assert fact is not None
    assert fact.steps == {"plan": (1,), "judge": (2,), "excuse": (2,), "late": (3,)}
    assert result.errors == ()


def test_a_graph_with_routes_is_run_without_a_second_child(tmp_path, monkeypatch):
    monkeypatch.setattr("courtroom.analysis.survey._run_graphs", None)
    result = survey({"src/graph.py": built(BRANCHES, NODES)}, tmp_path)
    assert result.facts["graph_run"]["steps"] == {"plan": [1], "judge": [2], "excuse": [2]}


def test_without_a_graph_the_fact_is_null_with_the_reason(tmp_path):
    result = survey({"main.py": "x = 1\n"}, tmp_path)
    assert result.facts["graph_run"] is None
    assert result.reasons["graph_run"] == result.reasons["graph"]
