"""Nodes and a fan-out from a list of names."""
from langgraph.graph import END, START, StateGraph

NAMES = ["repo", "doc", "vision"]
g = StateGraph(dict)
for name in NAMES:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
