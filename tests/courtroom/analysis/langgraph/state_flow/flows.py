"""Small repositories with a graph, and the faults in the flow of their data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import dedent

from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.state_access import read_state_access
from courtroom.analysis.langgraph.state_flow.dead_routes import dead_ways
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, FlowReading
from courtroom.analysis.langgraph.state_flow.read_flow import read_flow, watched_keys
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.call_graph import CallGraph
from tests.courtroom.sources import IMPORTS, symbols_of

STATE = """
from typing import Annotated, TypedDict

class State(TypedDict):
    repo_url: str
    pdf_path: str
    evidences: Annotated[dict, operator.ior]
    opinions: Annotated[list, operator.add]
"""
GRAPH = """
g = StateGraph(State)
g.add_node("detective", detective)
g.add_node("judge", judge)
g.add_edge(START, "detective")
g.add_edge("detective", "judge")
app = g.compile()
"""
RUN = """
app.invoke({"repo_url": "https://example.org/a", "pdf_path": "a.pdf"})
"""


def flow_of(
    code: str,
    files: Mapping[str, str] | None = None,
    *,
    data: Mapping[str, str] | None = None,
    graph: str = GRAPH,
    run: str = RUN,
) -> FlowReading:
    """Return the flow of a graph whose nodes `detective` and `judge` the code defines."""
    whole = f"{IMPORTS}{STATE}{dedent(code)}{graph}{run}"
    return flow_of_files({"src/graph.py": whole, **(files or {})}, data)


def flow_of_files(
    files: Mapping[str, str], data: Mapping[str, str] | None = None, others: Iterable[str] = ()
) -> FlowReading:
    """Return the flow of a graph in Python files, beside which there are other files."""
    symbols = symbols_of(files)
    symbols.codebase.paths |= frozenset(others)
    symbols.codebase.data.update(data or {})
    call_graph = CallGraph(symbols)
    graph = read_graph(symbols, {})
    layers = read_layers(symbols, call_graph, graph)
    accesses = read_state_access(symbols, graph, watched_keys(symbols.codebase.data))
    ways = dead_ways(symbols, graph, accesses[0]) if accesses else []
    return read_flow(symbols, call_graph, layers, graph, accesses, ways)


def faults(reading: FlowReading, kind: str) -> list[FlowFault]:
    return [fault for fault in reading.faults if fault.kind == kind]


def sentences(reading: FlowReading, kind: str) -> list[str]:
    return [fault.sentence for fault in faults(reading, kind)]


NODES = """
def detective(state):
    return {"evidences": {"repo": [look(state["repo_url"])]}}
def judge(state):
    return {"opinions": list(state["evidences"].values())}
def look(url): return url
"""


def flow_with(look: str, **files: str):
    return flow_of(f"{NODES}{look}", {f"src/{name}.py": text for name, text in files.items()})
