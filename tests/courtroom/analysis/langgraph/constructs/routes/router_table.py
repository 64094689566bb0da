"""A router that looks its target up in a table with a default."""
# inputs: [{"kind": "x"}, {"kind": "y"}, {}]
from langgraph.graph import END, START, StateGraph

TABLE = {"x": "b", "y": "c"}


def route(state):
    return TABLE.get(state.get("kind"), END)


g = StateGraph(dict)
for name in ("a", "b", "c"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", END)
g.add_edge("c", END)
app = g.compile()
