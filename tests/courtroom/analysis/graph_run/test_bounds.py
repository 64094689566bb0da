"""Bounds of the stub run, hostile names, and graphs that need no LangGraph."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import pytest

from courtroom.analysis.graph_run.langgraph_runs import LangGraphRunner
from courtroom.analysis.graph_run.run_facts import run_all
from courtroom.analysis.graph_run.state_faults import state_faults
from courtroom.analysis.graph_run.step_runs import StepRunner, follows_plain_steps
from courtroom.analysis.graph_run.stub_graph import (
    ROOT,
    StubEdge,
    StubGraph,
    StubRoute,
    StubState,
)
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


@pytest.mark.parametrize("count", [10, pytest.param(40, marks=pytest.mark.slow)])
def test_runs_by_plain_steps_are_those_of_langgraph(count):
    chance = random.Random(7)
    graphs = [_random_graph(chance) for _ in range(count)]
    looped, repeated, faulty = set(), set(), set()
    for number, graph in enumerate(graphs):
        assert follows_plain_steps(graph)
        steps = StepRunner(graph).explore()
        assert steps == LangGraphRunner(graph).explore(), graph
        faults = state_faults(graph, steps.runs, StepRunner)
        assert faults == state_faults(graph, steps.runs, LangGraphRunner), graph

        looped |= {number for run in steps.runs if not run.has_end}
        repeated |= {number for run in steps.runs for s in run.steps if len(set(s)) < len(s)}
        faulty |= {(number, bool(faults.conflicts)) for _ in faults.conflicts + faults.doubled}
    # The graphs differ in what their runs show.
    assert min(len(looped), len(repeated), len(faulty)) > count / 20


def _random_graph(chance: random.Random) -> StubGraph:
    nodes = [f"node {number}" for number in range(chance.randint(1, 6))]
    edges = [StubEdge(("START",), chance.choice(nodes), "g.py", 1)]
    for _ in range(chance.randint(0, 6)):
        starts = tuple(chance.sample(nodes, min(len(nodes), chance.choice((1, 1, 1, 2, 3)))))
        edges.append(StubEdge(starts, chance.choice([*nodes, "END"]), "g.py", 1))
    routes = [_random_route(chance, nodes) for _ in range(chance.choice((0, 1, 1, 2, 3)))]
    graph = StubGraph((), tuple(nodes), (), tuple(edges), tuple(routes), {})
    return replace(graph, state=_random_state(chance, nodes))


def _random_route(chance: random.Random, nodes: list[str]) -> StubRoute:
    outcomes = [
        tuple(chance.choices([*nodes, "END"], k=chance.choice((1, 1, 2, 3))))
        for _ in range(chance.randint(1, 3))
    ]
    sends = tuple(node for node in nodes if chance.random() < 0.3)
    start = chance.choice(["START", *nodes])
    return StubRoute(start, tuple(outcomes), sends, chance.random() < 0.5, "g.py", 1)


def _random_state(chance: random.Random, nodes: list[str]) -> StubState:
    kept = chance.choice(({ROOT: "last"}, {"a": "last", "b": "add", "c": "merge", "d": "last"}))

    def places(share: float) -> dict[str, dict[str, tuple[str, int]]]:
        return {
            node: {key: ("g.py", 1) for key in kept if chance.random() < share} for node in nodes
        }

    handed = {node: tuple(chance.sample(nodes, len(nodes) // 2)) for node in ["START", *nodes]}
    return StubState(kept, places(0.3), places(0.4), places(0.15), handed)


def test_reading_sources_imports_nothing_slow():
    code = (
        "import sys, courtroom.analysis.code_facts, courtroom.analysis.code_search\n"
        "import courtroom.analysis.survey\n"
        "from courtroom.analysis.code_patterns import search\n"
        "assert search([('a.py', 'x = 1')], 'python', 'x = $A') == [('a.py', 1, 1)]\n"
        "denials = 'courtroom.analysis.pdf_claims.denials'\n"
        "slow = {'langgraph', 'langchain_core', 'pydantic', 'asyncio', denials}\n"
        "assert not slow & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
