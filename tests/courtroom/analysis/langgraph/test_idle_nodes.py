"""Functions that are named as nodes, and that no code uses."""

from __future__ import annotations

from courtroom.analysis.langgraph.idle_nodes import idle_nodes
from tests.courtroom.sources import built, layers_of, symbols_of

NODES = """
def prosecutor_node(state):
    return {}
def SparePanelNode(state):
    return {}
def traced_node(function):
    return function
def helper(state):
    return {}
def kept_node(state):
    return {}
KEPT = [kept_node]
"""


def test_node_that_no_code_uses_is_named_unless_its_file_is_unreached():
    graph = built("g.add_node('p', prosecutor_node)\ng.add_edge(START, 'p')", nodes=())
    code = {
        "src/graph.py": f"from src.nodes import prosecutor_node\n{graph}",
        "src/nodes.py": NODES,
        "src/old.py": "def former_node(state):\n    return {}\n",
    }
    symbols = symbols_of(code)
    _, layers = layers_of(symbols)
    spare = {"name": "SparePanelNode", "path": "src/nodes.py", "line": 4}
    assert idle_nodes(symbols, layers, ["src/old.py"]) == [spare]
    assert [row["name"] for row in idle_nodes(symbols, layers, [])][1:] == ["former_node"]
