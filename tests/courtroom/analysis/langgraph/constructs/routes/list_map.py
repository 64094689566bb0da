"""A router with a list of targets."""
from langgraph.graph import END, START, StateGraph


def route(state):
    return state["next"]


g = StateGraph(dict)
for name in ("a", "b", "c"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route, ["b", "c", END])
g.add_edge(["b", "c"], END)
app = g.compile()
