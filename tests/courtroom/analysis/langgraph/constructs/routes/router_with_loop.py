"""A router that looks for the first open step."""
# inputs: [{}, {"b": 1}, {"b": 1, "c": 1}]
from langgraph.graph import END, START, StateGraph

STEPS = ["b", "c"]


def route(state):
    for step in STEPS:
        if step not in state:
            return step
    return END


g = StateGraph(dict)
for name in ("a", "b", "c"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", "a")
g.add_edge("c", "a")
app = g.compile()
