"""A graph built from a list that lies in a JSON file of the repository."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.data_files import load_data, path_text
from courtroom.analysis.python.symbolic_execution.values import (
    UNKNOWN,
    CallResult,
    DictValue,
    ListValue,
    Template,
)
from courtroom.analysis.python.syntax import parse_sources
from tests.courtroom.sources import IMPORTS

RUBRIC = json.dumps({"dimensions": [{"id": "git"}, {"id": "state"}]})
BUILD = """
def build(rubric):
    g = StateGraph(dict)
    g.add_node("entry", print)
    g.add_edge(START, "entry")
    for dimension in rubric["dimensions"]:
        g.add_node(dimension["id"], print)
        g.add_edge("entry", dimension["id"])
    return g.compile()

if __name__ == "__main__":
    build(load())
"""
LOADERS = [
    'def load(path="rubric/rubric.json"):\n    with open(path) as f:\n        return json.load(f)',
    (
        'PATH = Path(__file__).resolve().parent.parent / "rubric" / "rubric.json"\n'
        "def load():\n"
        "    return json.loads(PATH.read_text())"
    ),
    (
        "def load():\n"
        '    return json.load(open(os.path.join(os.path.dirname(__file__), "..", "rubric/rubric.json")))'
    ),
    'def load():\n    with Path("rubric.json").open() as f:\n        return json.loads(f.read())',
]


def _nodes(loader: str, data: dict[str, str]) -> list[str]:
    code = f"{IMPORTS}\nimport json, os\nfrom pathlib import Path\n{dedent(loader)}\n{BUILD}"
    codebase = parse_sources({"src/graph.py": code.encode()})
    codebase.data.update(data)
    builder = read_graph(SymbolTable(codebase), {}).builder
    assert builder is not None
    return list(builder.nodes)


@pytest.mark.parametrize(
    "data", [{}, {"rubric/rubric.json": "{"}, {"a/rubric.json": RUBRIC, "b/rubric.json": RUBRIC}]
)
def test_a_missing_broken_or_ambiguous_file_adds_no_nodes(data):
    assert _nodes(LOADERS[3], data) == ["entry"]


@pytest.mark.parametrize("loader", LOADERS)
def test_nodes_are_named_by_the_list_in_a_file(loader):
    assert _nodes(loader, {"rubric/rubric.json": RUBRIC}) == ["entry", "git", "state"]


@pytest.mark.parametrize("dotted", ["pickle.load", "csv.reader"])
def test_other_formats_are_unknown(dotted):
    assert load_data({"a.json": RUBRIC}, dotted, ["a.json"]) is UNKNOWN


def test_a_path_is_known_after_its_last_unknown_part():
    folder = CallResult("pathlib.Path", (Template("{}/rubric"),), (), 1)
    assert path_text(CallResult("os.path.join", (folder, "a.json"), (), 1)) == "{}/rubric/a.json"
    assert path_text(CallResult("tempfile.mkdtemp", (), (), 1)) == "{}"


def test_loaded_values_equal_those_in_the_file():
    value = load_data({"a.json": '{"n": [1, null, "x"]}'}, "json.load", ["a.json"])
    assert value == DictValue({"n": ListValue([1, None, "x"])})
