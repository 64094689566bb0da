"""A chain by functools.reduce, whose function returns the name before."""
from functools import reduce

from langgraph.graph import END, START, StateGraph

names = ["a", "b", "c"]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)


def link(previous, name):
    g.add_edge(previous, name)
    return name


last = reduce(link, names, START)
g.add_edge(last, END)
app = g.compile()
