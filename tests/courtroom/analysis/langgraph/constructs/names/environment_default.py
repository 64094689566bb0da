"""A name from the environment, with a default."""
# environments: [{}, {"NODE": "other"}]
import os

from langgraph.graph import END, START, StateGraph

name = os.getenv("NODE", "usual")
g = StateGraph(dict)
g.add_node(name, lambda state: state)
g.add_edge(START, name)
g.add_edge(name, END)
app = g.compile()
