"""Bounds of the stub run, hostile names, and graphs that need no LangGraph."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from courtroom.analysis.graph_run import stub_runs
from courtroom.analysis.graph_run.run_facts import run_all
from courtroom.analysis.graph_run.stub_runs import Exploration, explore, layered_run
from tests.courtroom.analysis.graph_run.wirings import stub_graph


def test_no_more_than_64_combinations_are_run_and_the_rest_is_open():
    nodes = [f"n{number}" for number in range(8)]
    chain = list(zip(["START", *nodes], nodes, strict=False))
    routes = [(name, [("END",), ("left",)]) for name in nodes]
    fact = run_all([stub_graph([*nodes, "left", "alone"], chain, routes)])

    assert (fact["combinations"], fact["is_complete"]) == (64, False)
    assert fact["idle"] == [{"node": "alone", "place": None}]
    assert fact["endless"] is None
    assert "combinations" in fact["unknown"]["endless"]
    # What was seen stays true.
    assert "left" in [row["node"] for row in fact["repeated"]]


def test_a_graph_of_500_nodes_stays_within_the_bound_of_node_runs():
    nodes = [f"n{number}" for number in range(500)]
    edges = [("START", name) for name in nodes] + [(name, name) for name in nodes]
    fact = run_all([stub_graph(nodes, edges)])
    assert (fact["is_complete"], fact["combinations"]) == (False, 0)
    assert (fact["idle"], fact["endless"]) == (None, None)


def test_a_chain_of_500_nodes_runs_without_langgraph():
    nodes = [f"n{number}" for number in range(500)]
    fact = run_all([stub_graph(nodes, zip(["START", *nodes], nodes, strict=False))])
    assert fact["steps"]["n499"] == [500]


@pytest.mark.parametrize(
    "name", ["__start__", "a|b", "x" * 5000, "\u202eevil", "{state}", "\n", "", "__interrupt__"]
)
def test_a_hostile_name_is_run_or_refused_and_breaks_nothing(name):
    fact = run_all([stub_graph([name, "judge"], [("START", name), (name, "judge")])])
    assert fact["refused"] or fact["steps"]["judge"] == [2]


def test_layers_found_without_langgraph_are_those_of_its_run(monkeypatch):
    chance = random.Random(7)
    graphs = [_random_graph(chance) for _ in range(120)]
    layered = [(graph, run) for graph in graphs if (run := layered_run(graph)) is not None]
    assert len(layered) > 20
    monkeypatch.setattr(stub_runs, "layered_run", lambda _: None)
    for graph, run in layered:
        assert explore(graph) == Exploration((run,))


def _random_graph(chance: random.Random):
    nodes = [f"n{number}" for number in range(chance.randint(1, 6))]
    starts = ["START", *nodes]
    pairs = [(a, b) for number, a in enumerate(starts) for b in nodes[number:]]
    return stub_graph(nodes, [("START", nodes[0]), *chance.sample(pairs, min(len(pairs), 4))])


def test_reading_a_graph_imports_no_langgraph():
    code = (
        "import sys, courtroom.analysis.code_facts, courtroom.analysis.survey\n"
        "assert not {'langgraph', 'langchain_core'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
