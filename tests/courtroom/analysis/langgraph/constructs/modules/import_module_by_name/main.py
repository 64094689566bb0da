import importlib

from langgraph.graph import END, START, StateGraph

parts = importlib.import_module("parts")
g = StateGraph(dict)
for name in parts.NAMES:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
