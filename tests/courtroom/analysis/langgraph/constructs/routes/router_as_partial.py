"""A router that is a partial with a known argument."""
# inputs: [{}, {"stop": 1}]
from functools import partial

from langgraph.graph import END, START, StateGraph


def route(target, state):
    return END if state.get("stop") else target


g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", partial(route, "b"))
g.add_edge("b", END)
app = g.compile()
