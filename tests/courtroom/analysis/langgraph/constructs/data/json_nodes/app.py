import json
from pathlib import Path

from langgraph.graph import StateGraph

flow = json.loads((Path(__file__).parent / "flow.json").read_text())
g = StateGraph(dict)
for name in flow["nodes"]:
    g.add_node(name, lambda state: state)
for start, end in flow["edges"]:
    g.add_edge(start, end)
app = g.compile()
