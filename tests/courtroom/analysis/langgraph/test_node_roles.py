"""Roles of nodes that are made for each criterion of a rubric."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.node_roles import role_of
from tests.courtroom.sources import builder_of


@pytest.mark.parametrize(
    ("name", "function", "role"),
    [
        ("synthesis_conflict_resolution", "detective_node", "detective"),
        ("prosecutor_synthesis_conflict_resolution", "judge_node", "judge"),
        ("synthesis", "summed_up", "justice"),
        ("chief_justice", "judge", "justice"),
        ("evidence_gate", "detective_node", "join"),
        ("repo_investigator", "investigator_hub", "join"),
        ("judges", "judge_dispatcher", "join"),
        ("repo_cloner", "fetched", "join"),
    ],
)
def test_a_node_named_after_a_criterion_has_the_role_of_its_function(name, function, role):
    code = f"""
from langgraph.graph import START, StateGraph
def {function}(state):
    return {{}}
g = StateGraph(dict)
g.add_node("{name}", {function})
g.add_edge(START, "{name}")
app = g.compile()
"""
    assert role_of(name, builder_of(code).nodes[name]) == role
