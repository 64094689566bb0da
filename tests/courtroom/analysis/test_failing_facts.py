"""Lines that fail, as a fact, with the nodes of which every run comes to one."""

from typing import cast

import pytest

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.failing_facts import record_failing_code
from courtroom.analysis.git.blobs import Blob, BlobReader
from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.call_graph import CallGraph
from tests.courtroom.sources import IMPORTS, symbols_of

NODES = """
g = StateGraph(dict)
g.add_node("prosecutor", prosecutor)
g.add_node("defense", defense)
"""
COMPILES = "app = g.compile()\n"
EDGES = 'g.add_edge(START, "prosecutor")\ng.add_edge(START, "defense")\n'
GRAPH = f"{NODES}{EDGES}{COMPILES}"


class Texts:
    """Files of a repository in the place of a reader of its blobs."""

    def __init__(self, texts):
        self.texts = texts
        self.blobs = {path: Blob(path, "", len(text), "100644") for path, text in texts.items()}

    def read_all(self, paths):
        return {path: self.texts[path].encode() for path in paths}


def failing_nodes(code, lookups=(), **texts):
    """Return function and nodes of each line that fails; `texts` are files beside the code."""
    return [(line["function"], line["nodes"]) for line in failing_rows(code, lookups, **texts)]


def failing_rows(code, lookups=(), graph=GRAPH, **texts):
    """Return the rows of the fact."""
    symbols = symbols_of(f"{IMPORTS}{code}{graph}")
    writer = FactWriter(symbols, cast("BlobReader", Texts(texts)))
    writer.call_graph = CallGraph(symbols)
    writer.graph = read_graph(symbols, {})
    writer.layers = read_layers(symbols, writer.call_graph, writer.graph)
    writer.failing_lookups = list(lookups)
    record_failing_code(writer)
    return writer.facts["failing_code"]["lines"]


@pytest.mark.parametrize(
    ("prosecutor", "nodes"),
    [
        ("for row in state['rows']:\n        print(f'{SCALE}')", ["prosecutor"]),
        ("if state['rows']:\n        print(SCALE)", []),
    ],
)
def test_node_whose_every_run_comes_to_the_line_is_named(prosecutor, nodes):
    code = f"def prosecutor(state):\n    {prosecutor}\ndef defense(state):\n    return {{}}\n"
    assert failing_nodes(code) == [("prosecutor", nodes)]


@pytest.mark.parametrize(
    ("first", "returns"),
    [("print()", []), ("if not __name__:\n        return {}", [3])],
)
def test_early_returns_of_a_node_and_of_what_it_calls_are_named(first, returns):
    code = (
        f"def ask(text):\n    {first}\n    return SCALE\n"
        f"def prosecutor(state):\n    {first}\n    return ask('a')\n"
        "def defense(state):\n    return {}\n"
    )
    (row,) = failing_rows(code)
    start = IMPORTS.count("\n")
    lines = [place["line"] - start for place in row["returns_before"]]
    assert (row["nodes"], lines) == (["prosecutor"], [*returns, *(line + 4 for line in returns)])


@pytest.mark.parametrize(
    ("read", "at_hand"),
    [
        ("Path(state['path'])", "state['path']"),
        ("state.get('path')", "state.get('path')"),
        ("state.path", "state.path"),
        ("OTHER['path']", None),
    ],
)
def test_value_of_the_name_that_the_function_reads_itself_is_at_hand(read, at_hand):
    code = (
        f"def prosecutor(state):\n    report = {read}\n    return path\n"
        "def defense(state):\n    return {}\n"
    )
    rows = [row for row in failing_rows(code) if row["name"] == "path"]
    assert [row["at_hand"] for row in rows] == [at_hand]


@pytest.mark.parametrize(
    ("ways", "instead"),
    [
        ('"prosecutor" if state["is_short"] else "defense"', ["defense"]),
        ('["prosecutor", "defense"]', []),
        ('"prosecutor" if state["is_short"] else END', []),
    ],
)
def test_judge_that_a_route_may_choose_in_the_place_of_a_failing_one_is_named(ways, instead):
    code = (
        "def prosecutor(state):\n    return SCALE\ndef defense(state):\n    return {}\n"
        f"def route(state):\n    return {ways}\n"
    )
    routed = f"g.add_conditional_edges(START, route, ['prosecutor', 'defense', END])\n{COMPILES}"
    assert [line["instead"] for line in failing_rows(code, graph=f"{NODES}{routed}")] == [instead]


def test_line_of_a_function_that_every_run_calls_ends_all_nodes_that_call_it():
    code = (
        "def ask(text):\n    return SCALE\n"
        "def prosecutor(state):\n    return ask('a')\n"
        "def defense(state):\n    return state['rows'] and ask('b')\n"
    )
    assert failing_nodes(code) == [("ask", ["prosecutor"])]


def test_lookup_of_a_judge_that_finds_nothing_stops_its_node():
    code = (
        "def prosecutor(state):\n    return state['dims'][0]['id'], LOGIC\n"
        "def defense(state):\n    dim = state['dims'][0]\n    return dim['logic'], dim.get('logic')\n"
    )
    sentence = (
        "defense() asks `dim` for `logic`, which no entry of rubric.json has: the lookup fails"
    )
    line = f"{IMPORTS}{code}".split("\n").index("    return dim['logic'], dim.get('logic')") + 1
    fault = FlowFault("other_key", sentence, "src/graph.py", line, is_failing=True)
    assert failing_nodes(code, [fault]) == [
        ("prosecutor", ["prosecutor"]),
        ("defense", ["defense"]),
    ]


@pytest.mark.parametrize(
    ("texts", "is_missing"),
    [
        ({}, True),
        ({"README.md": "Run it."}, True),
        ({"README.md": "Copy rules.json into rubric."}, False),
        ({"Makefile": "rules:\n\tcurl -o rubric/rules.json"}, False),
        ({".gitignore": "# own\nrubric/\n"}, False),
        ({".gitignore": "*.json"}, False),
        ({".gitignore": "*.csv"}, True),
    ],
)
def test_missing_file_that_a_user_may_add_is_not_named(texts, is_missing):
    code = (
        "def prosecutor(state):\n    return open('rubric/rules.json')\n"
        "def defense(state):\n    return {}\n"
    )
    assert failing_nodes(code, **texts) == [("prosecutor", ["prosecutor"])] * is_missing


@pytest.mark.parametrize(("route", "is_reached"), [('@app.delete("/runs")', True), ("", False)])
def test_method_that_the_object_of_a_file_lacks_fails_behind_a_web_route(route, is_reached):
    code = (
        "from fastapi import FastAPI\n"
        "class Store:\n    def read(self): return {}\n"
        "app, store = FastAPI(), None\n"
        "runs = Store()\n"
        f"{route}\ndef clear():\n    runs.read()\n    return runs.clear_all()\n"
        "def prosecutor(state):\n    return {}\n"
        "def defense(state):\n    return {}\n"
    )
    assert failing_nodes(code) == [("clear", [])] * is_reached
