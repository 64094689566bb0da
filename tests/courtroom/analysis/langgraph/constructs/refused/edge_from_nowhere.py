"""An edge from a node that does not exist."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("ghost", END)
app = g.compile()
