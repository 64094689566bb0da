"""Nodes that change the working directory while others run beside them."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import GRAPH, flow_of, sentences

CODE = """
import os, subprocess

def history(path):
    os.chdir(path)
    return subprocess.run(["git", "log"])
def detective(state):
    return {"evidences": {"history": history(state["repo_url"])}}
def reader(state):
    return {"evidences": {"report": open(state["pdf_path"]).read()}}
def judge(state):
    return {"opinions": list(state["evidences"].values())}
"""
PARALLEL = GRAPH.replace(
    'g.add_edge("detective", "judge")',
    'g.add_node("reader", reader)\n'
    'g.add_edge(START, "reader")\n'
    'g.add_edge(["detective", "reader"], "judge")',
)


def test_node_that_moves_the_directory_of_one_beside_it_is_a_fault():
    assert sentences(flow_of(CODE, graph=PARALLEL), "moved_directory") == [
        (
            "history() changes the working directory of the whole process in the node detective, which"
            " runs beside reader"
        )
    ]


@pytest.mark.parametrize(
    ("code", "graph"),
    [
        (CODE, GRAPH),
        (CODE.replace("    os.chdir(path)\n", ""), PARALLEL),
        (CODE.replace("history(state", "print(state"), PARALLEL),
        (CODE.replace("os.chdir(path)", "path.chdir()"), PARALLEL),
    ],
    ids=["alone", "stays", "not called", "another call"],
)
def test_directory_that_no_other_node_meets_is_no_fault(code: str, graph: str):
    assert sentences(flow_of(code, graph=graph), "moved_directory") == []
