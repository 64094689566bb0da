"""Edges from a dict of lists."""
from langgraph.graph import END, START, StateGraph

EDGES = {START: ["a", "b"], "a": ["c"], "b": ["c"], "c": [END]}
g = StateGraph(dict)
for name in EDGES:
    if name != START:
        g.add_node(name, lambda state: state)
for start, ends in EDGES.items():
    for end in ends:
        g.add_edge(start, end)
app = g.compile()
