"""Routers made by a factory, one for each node."""
# inputs: [{}, {"stop": 1}]
from langgraph.graph import END, START, StateGraph


def go_to(target):
    def route(state):
        return END if state.get("stop") else target

    return route


g = StateGraph(dict)
for name in ("a", "b"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", go_to("b"))
g.add_conditional_edges("b", go_to("a"))
app = g.compile()
