"""A function that returns the builder and names."""
from langgraph.graph import END, START, StateGraph


def begin():
    return StateGraph(dict), ["a", "b"]


g, names = begin()
for name in names:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
