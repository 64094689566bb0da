"""set_conditional_entry_point."""
from langgraph.graph import END, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.set_conditional_entry_point(lambda state: state["kind"], {"x": "a", "y": "b"})
g.add_edge("a", END)
g.add_edge("b", END)
app = g.compile()
