"""A router of many statements with one early return."""
# inputs: [{}, {"errors": [1]}, {"n": 5}]
from langgraph.graph import END, START, StateGraph


def route(state):
    errors = state.get("errors", [])
    n = state.get("n", 0)
    total = len(errors)
    limit = 3
    ratio = total / limit
    message = f"{total} of {limit}"
    seen = []
    seen.append(message)
    if total > 0:
        seen.append("error")
        return "failed"
    if n > limit:
        seen.append(ratio)
        return END
    return "b"


g = StateGraph(dict)
for name in ("a", "b", "failed"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", END)
g.add_edge("failed", END)
app = g.compile()
