"""Difference and union of sets."""
from langgraph.graph import END, START, StateGraph

everything = {"a", "b", "c"}
skipped = {"b"}
g = StateGraph(dict)
for name in sorted((everything - skipped) | {"d"}):
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
