"""Eighty names by a comprehension."""
from langgraph.graph import END, START, StateGraph

names = [f"worker_{i}" for i in range(80)]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
