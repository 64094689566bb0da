"""A router without map or annotation: what it returns counts."""
# inputs: [{"kind": "b"}, {"kind": "c"}, {}]
from langgraph.graph import END, START, StateGraph


def route(state):
    if state.get("kind") == "b":
        return "b"
    if state.get("kind") == "c":
        return "c"
    return END


g = StateGraph(dict)
for name in ("a", "b", "c"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", END)
g.add_edge("c", END)
app = g.compile()
