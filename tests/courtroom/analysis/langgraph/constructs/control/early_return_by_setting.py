"""A building function that returns early by a setting."""
# environments: [{}, {"SIMPLE": "1"}]
import os

from langgraph.graph import END, START, StateGraph


def build():
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)
    g.add_edge(START, "a")
    if os.getenv("SIMPLE"):
        g.add_edge("a", END)
        return g.compile()
    g.add_node("b", lambda state: state)
    g.add_edge("a", "b")
    g.add_edge("b", END)
    return g.compile()


app = build()
