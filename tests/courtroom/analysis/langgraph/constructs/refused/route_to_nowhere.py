"""A map that names a node that does not exist."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", lambda s: "x", {"x": "missing", "y": END})
app = g.compile()
