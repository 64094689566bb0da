"""The Literal stands under a name of its own."""
from typing import Literal

from langgraph.graph import END, START, StateGraph

Target = Literal["b", "__end__"]


def route(state) -> Target:
    return state["next"]


g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", END)
app = g.compile()
