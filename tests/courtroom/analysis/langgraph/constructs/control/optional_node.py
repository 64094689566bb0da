"""A node behind a setting."""
# environments: [{}, {"VISION": "1"}]
import os

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("a", END)
if os.getenv("VISION"):
    g.add_node("vision", lambda state: state)
    g.add_edge(START, "vision")
    g.add_edge("vision", END)
app = g.compile()
