"""A router with a dict for its map."""
from langgraph.graph import END, START, StateGraph


def route(state):
    return "yes" if state.get("ok") else "no"


g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route, {"yes": "b", "no": END})
g.add_edge("b", END)
app = g.compile()
