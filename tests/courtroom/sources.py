"""Small code bases, written inline, for tests of the code analysis, and their readings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import dedent

from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.langgraph.graph_values import GraphBuilder
from courtroom.analysis.langgraph.judging.judge_functions import Layers, read_layers
from courtroom.analysis.langgraph.parallelism import flags_of
from courtroom.analysis.langgraph.topology import GraphReading, read_graph
from courtroom.analysis.python.call_graph import CallGraph
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import Value
from courtroom.analysis.python.syntax import parse_sources

IMPORTS = (
    "import operator\n"
    "from langgraph.graph import StateGraph, START, END\n"
    "from langgraph.types import Command, Send\n"
)
NODES = (
    "repo_investigator",
    "doc_analyst",
    "evidence_aggregator",
    "prosecutor",
    "defense",
    "tech_lead",
    "chief_justice",
)


def symbols_of(files: Mapping[str, str] | str) -> SymbolTable:
    """Return the symbols of code by path, or of one file called src/graph.py."""
    code = {"src/graph.py": files} if isinstance(files, str) else files
    codebase = parse_sources({path: dedent(text).encode() for path, text in code.items()})
    codebase.paths = frozenset(code)
    return SymbolTable(codebase)


def values_of(code: str) -> dict[str, Value]:
    """Return the names of a module with their values after its last line."""
    symbols = symbols_of({"work.py": code})
    evaluator = GraphEvaluator(symbols, should_enter=lambda _name: False)
    return evaluator.load_module(symbols.codebase.files["work.py"]).scope.names


def graph_of(
    files: Mapping[str, str] | str, texts: Mapping[str, str] | None = None
) -> GraphReading:
    return read_graph(symbols_of(files), texts or {})


def built(body: str, nodes: Iterable[str] = NODES) -> str:
    """Return a module that builds a graph with these nodes; `body` adds the edges to `g`."""
    added = "\n".join(f'g.add_node("{name}", lambda state: state)' for name in nodes)
    return f"{IMPORTS}\ng = StateGraph(dict)\n{added}\n{dedent(body)}\n\napp = g.compile()\n"


def builder_of(
    files: Mapping[str, str] | str, texts: Mapping[str, str] | None = None
) -> GraphBuilder:
    builder = graph_of(files, texts).builder
    assert builder is not None
    return builder


def edges_of(files: Mapping[str, str] | str) -> set[tuple[str, str]]:
    return set(builder_of(files).edges)


def routes_of(files: Mapping[str, str] | str) -> set[tuple[str, tuple[str, ...]]]:
    """Return the conditional departures as (start, sorted targets)."""
    return {(route.start, tuple(sorted(route.targets))) for route in graph_of(files).routes}


def flags(files: Mapping[str, str] | str) -> dict[str, bool | None]:
    reading = graph_of(files)
    assert reading.builder is not None
    return flags_of(reading.builder, reading.routes, reading.subgraphs).values


def layers_of(symbols: SymbolTable) -> tuple[CallGraph, Layers]:
    call_graph = CallGraph(symbols)
    return call_graph, read_layers(symbols, call_graph, read_graph(symbols, {}))


def justice(body: str, before: str = "") -> str:
    """Return the source of a Chief Justice that runs this body on three opinions and a score."""
    indented = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))

    return (
        f"{before}\n"
        "def chief_justice(state, p, d, t, evidences):\n"
        "    score = (p.score + d.score + t.score) / 3\n"
        f"{indented}\n"
        "    return score\n"
    )
