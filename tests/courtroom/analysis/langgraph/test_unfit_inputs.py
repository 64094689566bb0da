"""Runs of a graph with values that a reducer cannot add to."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.state_class import reducers_of
from courtroom.analysis.langgraph.unfit_inputs import added_lists, unfit_inputs
from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.symbol_table import ClassSite
from tests.courtroom.sources import symbols_of

STATE = """
import operator
from typing import Annotated, Dict, List, TypedDict
class AgentState(TypedDict):
    evidences: Annotated[List[str], operator.add]
    opinions: Annotated[list, operator.add]
    merged: Annotated[Dict[str, str], operator.ior]
    report: str
"""


def failing(body):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    symbols = symbols_of(f"{STATE}\ndef run(graph, chain, found):\n{lines}\n")
    (source,) = symbols.codebase
    lists = added_lists(symbols, reducers_of(symbols, ClassSite(source, source.classes[0])))
    call_graph = CallGraph(symbols)
    return [
        line.why
        for site in source.functions
        for line in unfit_inputs(call_graph, FunctionRef(source, site), lists)
    ]


@pytest.mark.parametrize(
    ("body", "given"),
    [
        (
            "state: AgentState = {'evidences': {}}\nreturn graph.invoke(state)",
            "a dict as evidences",
        ),
        ("graph.stream({'opinions': None, 'report': ''})", "None as opinions"),
        ("graph.invoke({'evidences': '', 'opinions': []}, {})", "a text as evidences"),
    ],
)
def test_value_that_is_no_list_ends_the_run(body, given):
    (why,) = failing(body)
    assert why.startswith(f"runs the graph with {given} (line ")
    assert why.endswith("), which operator.add cannot add to a list")


@pytest.mark.parametrize(
    "body",
    [
        "graph.invoke({'evidences': [], 'merged': {}, 'report': None})",
        "graph.invoke({'evidences': found})",
        "state = {'evidences': {}}\nstate['evidences'] = []\ngraph.invoke(state)",
        "state = {'evidences': {}}\nstate.update(found)\ngraph.invoke(state)",
        "chain.invoke({'evidences': ''})",
        "state = {'evidences': {}}\nreturn state",
    ],
)
def test_value_that_may_be_a_list_does_not(body):
    assert failing(body) == []
