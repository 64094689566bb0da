"""Edges made by list(map(...))."""
from langgraph.graph import END, START, StateGraph

names = ["a", "b"]
g = StateGraph(dict)
list(map(lambda name: g.add_node(name, print), names))
list(map(lambda name: g.add_edge(START, name), names))
for name in filter(lambda name: name != "b", names):
    g.add_edge(name, "b")
g.add_edge("b", END)
app = g.compile()
