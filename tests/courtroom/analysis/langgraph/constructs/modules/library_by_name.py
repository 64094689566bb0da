"""StateGraph fetched by importlib."""
import importlib

StateGraph = importlib.import_module("langgraph.graph").StateGraph
g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge("__start__", "a")
g.add_edge("a", "__end__")
app = g.compile()
