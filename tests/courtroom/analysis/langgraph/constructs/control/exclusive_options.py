"""One of two wirings by a setting."""
# environments: [{}, {"MODE": "parallel"}]
import os

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in ("a", "b"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
if os.getenv("MODE") == "parallel":
    g.add_edge(START, "b")
    g.add_edge("a", END)
else:
    g.add_edge("a", "b")
g.add_edge("b", END)
app = g.compile()
