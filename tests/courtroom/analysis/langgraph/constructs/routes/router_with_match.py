"""A router with match."""
# inputs: [{"kind": "b"}, {"kind": "c"}, {"kind": "d"}]
from langgraph.graph import END, START, StateGraph


def route(state):
    match state["kind"]:
        case "b":
            return "b"
        case "c" | "cc":
            return "c"
        case _:
            return END


g = StateGraph(dict)
for name in ("a", "b", "c"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", END)
g.add_edge("c", END)
app = g.compile()
