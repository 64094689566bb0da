"""No edge from START."""
from langgraph.graph import END, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge("a", END)
app = g.compile()
