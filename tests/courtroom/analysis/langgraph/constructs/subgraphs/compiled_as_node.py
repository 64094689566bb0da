"""A compiled graph as a node."""
from langgraph.graph import END, START, StateGraph

inner = StateGraph(dict)
inner.add_node("x", lambda state: state)
inner.add_edge(START, "x")
inner.add_edge("x", END)
g = StateGraph(dict)
g.add_node("team", inner.compile())
g.add_edge(START, "team")
g.add_edge("team", END)
app = g.compile()
