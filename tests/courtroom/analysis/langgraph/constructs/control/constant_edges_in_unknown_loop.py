"""A loop that may not run at all adds known names."""
# environments: [{"NODES": ""}, {"NODES": "x"}]
import os

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
for _ in os.environ["NODES"]:
    g.add_edge("a", "b")
g.add_edge("b", END)
app = g.compile()
