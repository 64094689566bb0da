"""Graphs that a StateGraph of the repository's own builds and runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.langgraph.judging.judge_functions import read_layers
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.analysis.test_shown_places import surveyed
from tests.courtroom.sources import layers_of, symbols_of

FLOW = """
from concurrent.futures import ThreadPoolExecutor


class Node:
    def __init__(self, name, action):
        self.name = name
        self.action = action
        self.after = []


class StateGraph:
    def __init__(self):
        self.nodes, self.starts, self.routes = {}, [], []

    def add_node(self, node, start=False):
        self.nodes[node.name] = node
        if start:
            self.starts.append(node)

    def add_edge(self, start, end):
        self.nodes[start].after.append(self.nodes[end])

    def add_conditional_edge(self, start, router, ways):
        self.routes.append((start, router, ways))

    def run(self, state):
        with ThreadPoolExecutor() as pool:
            return list(pool.map(lambda node: node.action(state), self.starts))
"""
MAIN = """
from flow import Node, StateGraph


def build():
    def repo(state):
        return state

    def docs(state):
        return state

    def join(state):
        return state

    def judges(state):
        return [judge(state, name) for name in ("Prosecutor", "Defense", "TechLead")]

    def failed(state):
        return state

    def justice(state):
        return decide(state)

    def route(state):
        return "failure" if state.errors else "success"

    builder = StateGraph()
    builder.add_node(Node("RepoDetective", repo), start=True)
    builder.add_node(Node("DocDetective", docs), start=True)
    builder.add_node(Node("EvidenceAggregator", join))
    builder.add_node(Node("ErrorHandler", failed))
    builder.add_node(Node("Judges", judges))
    builder.add_node(Node("ChiefJustice", justice))
    builder.add_edge("RepoDetective", "EvidenceAggregator")
    builder.add_edge("DocDetective", "EvidenceAggregator")
    builder.add_conditional_edge(
        "EvidenceAggregator", route, {"failure": "ErrorHandler", "success": "Judges"}
    )
    builder.add_edge("Judges", "ChiefJustice")
    return builder


def judge(state, name):
    return name


def decide(state):
    return 3


if __name__ == "__main__":
    build().run({})
"""
FLAGS = {
    "detectives_parallel": True,
    "judges_parallel": False,
    "fan_in_before_judges": True,
    "fan_in_before_justice": False,
    "conditional_error_route": True,
}


def flags(flow: str, main: str, folder: Path) -> dict[str, bool | None]:
    result = surveyed({"flow.py": flow, "main.py": main}, folder)
    assert result.facts["graph"] is None
    assert "class of the repository's own" in result.reasons["graph"]
    return {name: result.facts[name] for name in FLAGS}


def test_graph_that_a_class_of_the_works_own_runs_has_its_shape(tmp_path: Path) -> None:
    assert flags(FLOW, MAIN, tmp_path) == FLAGS
    result = surveyed({"flow.py": FLOW, "main.py": MAIN}, tmp_path / "again")
    starts = result.fact_locations["detectives_parallel"]
    assert [(row.path, row.line_start) for row in starts] == [("main.py", 28), ("main.py", 29)]


def test_graph_that_another_class_of_its_file_runs_has_its_shape(tmp_path: Path) -> None:
    runner = "class Runner:\n    def __init__(self, graph):\n        self.starts = graph.starts\n\n"
    head, run = FLOW.split("    def run(")
    handed_on = f"    def run(self, state):\n        return Runner(self).run(state)\n\n\n{runner}"
    assert flags(f"{head}{handed_on}    def run({run}", MAIN, tmp_path) == FLAGS


def test_nodes_that_run_after_one_another_are_not_parallel_however_wired(tmp_path: Path) -> None:
    in_turn = FLOW.replace(
        "with ThreadPoolExecutor() as pool:\n            return list(pool.map(lambda node: node.action(state), self.starts))",
        "return [node.action(state) for node in self.starts]",
    ).replace("from concurrent.futures import ThreadPoolExecutor", "")
    assert flags(in_turn, MAIN, tmp_path) == FLAGS | {"detectives_parallel": False}


@pytest.mark.parametrize(
    "main",
    [
        MAIN.replace("build().run({})", "build()"),
        MAIN.replace('builder.add_node(Node("Judges", judges))', "builder.add_node(load(Node))"),
        MAIN.replace("    return builder", "    extend(builder)\n    return builder"),
        MAIN.replace("    return builder", "    builder.add_edge(*ways())\n    return builder"),
    ],
    ids=["not run", "unknown node", "handed over", "unknown edge"],
)
def test_graph_that_is_not_run_or_not_known_to_its_end_is_left_open(main, tmp_path: Path) -> None:
    assert flags(FLOW, main, tmp_path) == dict.fromkeys(FLAGS)


def test_nodes_of_the_works_own_graph_are_its_judges_and_chief_justice() -> None:
    symbols = symbols_of({"flow.py": FLOW, "main.py": MAIN})
    call_graph, _ = layers_of(symbols)
    graph = read_graph(symbols, {}).home_made
    assert graph is not None
    layers = read_layers(symbols, call_graph, graph)
    assert [f.name for f in layers.judges] == ["judges", "judge"]
    assert [f.name for f in layers.justice] == ["justice", "decide"]
