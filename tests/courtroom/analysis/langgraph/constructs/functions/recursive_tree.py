"""Nodes of a nested dict, by recursion."""
from langgraph.graph import END, START, StateGraph

TREE = {"a": {"b": {}, "c": {"d": {}}}}
g = StateGraph(dict)


def grow(parent, children):
    for name, below in children.items():
        g.add_node(name, lambda state: state)
        g.add_edge(parent, name)
        grow(name, below)
    if not children:
        g.add_edge(parent, END)


grow(START, TREE)
app = g.compile()
