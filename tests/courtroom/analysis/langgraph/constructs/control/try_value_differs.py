"""A name assigned in try and, differently, in except."""
# environments: [{}, {"NODES": "x"}]
import os

from langgraph.graph import END, START, StateGraph

try:
    count = int(os.environ.get("NODES", "1"))
    last = "good"
except ValueError:
    last = "bad"

g = StateGraph(dict)
g.add_node(last, lambda state: state)
g.add_edge(START, last)
g.add_edge(last, END)
app = g.compile()
