"""set_entry_point and set_finish_point."""
from langgraph.graph import StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.set_entry_point("a")
g.add_edge("a", "b")
g.set_finish_point("b")
app = g.compile()
