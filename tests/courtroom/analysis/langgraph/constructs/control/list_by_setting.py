"""One of two lists, by a conditional expression."""
# environments: [{}, {"FULL": "1"}]
import os

from langgraph.graph import END, START, StateGraph

names = ["a", "b"] if os.getenv("FULL") else ["a"]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
