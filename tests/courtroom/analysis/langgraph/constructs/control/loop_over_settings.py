"""Names out of the environment: nobody can tell."""
# environments: [{"NODES": "a,b"}]
import os

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in os.environ["NODES"].split(","):
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
