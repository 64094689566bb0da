"""Detectives that always return an empty update, and those that may return something."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.empty_detectives import empty_detectives
from courtroom.analysis.python.call_graph import CallGraph
from tests.courtroom.sources import built, layers_of, symbols_of

WIRED = built("g.add_node('doc_analyst', look)\ng.add_edge(START, 'doc_analyst')", nodes=())
NODE = "def look(state):\n    {}\n"


def empty_in(body: str) -> list[int]:
    """Return the lines of the functions that do nothing in a work whose detective has this body."""
    symbols = symbols_of(f"{NODE.format(body)}\n\n{HELPERS}\n\n{WIRED}")
    _, layers = layers_of(symbols)
    return [row["line"] for row in empty_detectives(CallGraph(symbols), layers)]


HELPERS = """
def idle(state):
    updates = {}
    # The evidence would be added here.
    return updates


def busy(state):
    return {"evidences": [state["url"]]}


def fill(state):
    state["evidences"].append("x")
"""


@pytest.mark.parametrize(
    "body",
    [
        "return {}",
        "return []",
        "return None",
        "print('looking')",
        "return {'evidences': [], 'errors': {}}",
        "if state['url']:\n        return {}\n    return dict()",
    ],
)
def test_detective_that_returns_nothing_on_every_way_is_empty(body):
    assert empty_in(body) == [1]


def test_wrapper_of_a_function_that_does_nothing_is_shown_where_nothing_is_made():
    wrapper = "update = idle(state)\n    print(len(update.get('evidences', [])))\n    return update"
    assert empty_in(wrapper) == [8]


@pytest.mark.parametrize(
    "body",
    [
        "return busy(state)",
        "return state",
        "return {'evidences': [], 'errors': ['no pages']}",
        "found = {}\n    found['evidences'] = state['url']\n    return found",
        "found = []\n    found.append(state['url'])\n    return found",
        "found = {}\n    fill(found)\n    return found",
        "found = {}\n    found |= busy(state)\n    return found",
        "state['evidences'] = [1]\n    return {}",
        "fill(state)\n    return {}",
        "if state['url']:\n        return {}\n    return busy(state)",
        "raise NotImplementedError",
        "yield {}",
        "update = {}\n    update = busy(state)\n    return update",
    ],
)
def test_detective_that_may_return_something_is_not_empty(body):
    assert empty_in(body) == []


@pytest.mark.parametrize("name", ["evidence_hub", "skip_doc_analyst"])
def test_node_that_hands_on_or_stands_in_after_a_failure_is_no_detective(name):
    hub = WIRED.replace("doc_analyst", name)
    symbols = symbols_of(f"{NODE.format('return {}')}\n\n{hub}")
    _, layers = layers_of(symbols)
    assert empty_detectives(CallGraph(symbols), layers) == []
