"""dict(zip(...)) and dict.fromkeys as maps."""
from langgraph.graph import END, START, StateGraph

NAMES = ["b", "c"]
g = StateGraph(dict)
for name in ("a", *NAMES):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", lambda s: s["next"], dict(zip(NAMES, NAMES)))
g.add_conditional_edges("b", lambda s: s["next"], dict.fromkeys(["x", "y"], END))
g.add_edge("c", END)
app = g.compile()
