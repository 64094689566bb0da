"""An edge to a node that does not exist."""
from langgraph.graph import START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("a", "missing")
app = g.compile()
