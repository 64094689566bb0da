"""Routes that look at whether there is evidence, where detectives make some of a failure."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.counting_routes import counting_routes
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import layers_of, symbols_of

WORK = """
import operator
from typing import Annotated, TypedDict
from langgraph.graph import END, START, StateGraph


class CourtState(TypedDict):
    evidences: Annotated[dict, operator.ior]
    errors: Annotated[list, operator.add]


def repo_investigator(state):
    try:
        rows = [Evidence(found=True, content=clone(state))]
    except OSError:
        rows = [Evidence(found=False, content="no clone")]
    return {"evidences": {"repo": rows}}


def has_some(rows):
    return any(row.found for row in rows)


def route(state):
    TEST
    return END if is_empty else "prosecutor"


g = StateGraph(CourtState)
g.add_node("repo_investigator", repo_investigator)
g.add_node("prosecutor", lambda state: {})
g.add_edge(START, "repo_investigator")
g.add_conditional_edges("repo_investigator", route, ["prosecutor", END])
g.add_edge("prosecutor", END)
app = g.compile()
"""


def counted(test: str, work: str = WORK) -> list[tuple[str, list[str], int]]:
    """Return node, keys and the line of the failure of each route that only counts."""
    symbols = symbols_of(work.replace("TEST", test))
    graph = read_graph(symbols, {})
    call_graph, layers = layers_of(symbols)
    rows = counting_routes(call_graph, layers, graph, read_state_access(symbols, graph))
    return [(row["name"], row["keys"], row["report"]["line"]) for row in rows]


@pytest.mark.parametrize(
    "test",
    [
        'is_empty = not state["evidences"]',
        'is_empty = sum(len(rows) for rows in state["evidences"].values()) == 0',
    ],
)
def test_route_that_counts_evidence_counts_that_of_a_failure(test: str) -> None:
    assert counted(test) == [("repo_investigator", ["evidences"], 16)]


@pytest.mark.parametrize(
    "test",
    [
        'is_empty = not any(row.found for row in state["evidences"]["repo"])',
        'is_empty = not any(row["found"] for row in state["evidences"]["repo"])',
        'is_empty = not any(row.get("found") for row in state["evidences"]["repo"])',
        'is_empty = not has_some(state["evidences"]["repo"])',
        'is_empty = not state["evidences"] or bool(state["errors"])',
        'is_empty = bool(state["errors"])',
    ],
)
def test_route_that_asks_what_was_found_or_failed_does_not_only_count(test: str) -> None:
    assert counted(test) == []


def test_evidence_of_absence_outside_of_a_handler_is_none_of_a_failure() -> None:
    work = WORK.replace("except OSError:", "finally:")
    assert counted('is_empty = not state["evidences"]', work) == []
