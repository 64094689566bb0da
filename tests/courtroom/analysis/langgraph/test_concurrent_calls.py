"""Calls that run functions side by side inside a node of detectives or judges."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.concurrent_calls import concurrent_calls
from courtroom.analysis.python.call_graph import CallGraph
from tests.courtroom.sources import built, layers_of, symbols_of

NODE = """import asyncio
from concurrent.futures import ThreadPoolExecutor


def look(state):
    return {"evidences": work(state)}


def work(state):
    {body}


"""


@pytest.mark.parametrize(
    ("name", "body", "lines"),
    [
        ("detectives", "return asyncio.run(asyncio.gather(*map(read, state)))", [10]),
        ("judges", "pool = ThreadPoolExecutor()", [10]),
        ("aggregator", "pool = ThreadPoolExecutor()", []),
        ("detectives", "return gather(state)", []),
    ],
)
def test_first_call_of_a_node_that_runs_functions_side_by_side(name, body, lines) -> None:
    wired = built(f"g.add_node('{name}', look)\ng.add_edge(START, '{name}')", nodes=())
    symbols = symbols_of(NODE.replace("{body}", body) + wired)
    _, layers = layers_of(symbols)
    rows = concurrent_calls(CallGraph(symbols), layers)
    assert [row["line"] for row in rows] == lines
