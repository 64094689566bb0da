"""A list that a setting makes longer."""
# environments: [{}, {"VISION": "1"}]
import os

from langgraph.graph import END, START, StateGraph

names = ["a"]
if os.getenv("VISION"):
    names.append("vision")
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
