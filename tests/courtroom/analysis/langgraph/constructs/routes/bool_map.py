"""A map with True and False as keys."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", lambda state: bool(state), {True: "b", False: END})
g.add_edge("b", END)
app = g.compile()
