"""Rows of collections.namedtuple."""
from collections import namedtuple

from langgraph.graph import END, START, StateGraph

Step = namedtuple("Step", ["name", "after"])
g = StateGraph(dict)
for step in (Step("a", START), Step("b", "a")):
    g.add_node(step.name, lambda state: state)
    g.add_edge(step.after, step.name)
g.add_edge("b", END)
app = g.compile()
