"""A chain by two slices of one list."""
from langgraph.graph import END, START, StateGraph

names = ["a", "b", "c"]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
for left, right in zip(names[:-1], names[1:]):
    g.add_edge(left, right)
for name in names[-1:]:
    g.add_edge(name, END)
g.add_edge(START, names[0])
app = g.compile()
