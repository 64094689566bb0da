"""itertools.product of two layers."""
import itertools

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
first, second = ("a", "b"), ("x", "y")
for name in itertools.chain(first, second):
    g.add_node(name, lambda state: state)
for start, end in itertools.product(first, second):
    g.add_edge(start, end)
for name in first:
    g.add_edge(START, name)
for name in second:
    g.add_edge(name, END)
app = g.compile()
