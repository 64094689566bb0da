"""Two routers after one node."""
# inputs: [{}, {"ok": 1}]
from langgraph.graph import END, START, StateGraph


def first(state):
    return "b" if state.get("ok") else END


def second(state):
    return "c"


g = StateGraph(dict)
for name in ("a", "b", "c"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", first)
g.add_conditional_edges("a", second, ["c"])
g.add_edge("b", END)
g.add_edge("c", END)
app = g.compile()
