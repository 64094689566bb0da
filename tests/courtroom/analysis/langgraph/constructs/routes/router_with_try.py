"""A router that returns another target from its handler."""
# inputs: [{"n": "1"}, {"n": "x"}]
from langgraph.graph import END, START, StateGraph


def route(state):
    try:
        int(state["n"])
        target = "b"
    except ValueError:
        target = "failed"
    return target


g = StateGraph(dict)
for name in ("a", "b", "failed"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", END)
g.add_edge("failed", END)
app = g.compile()
