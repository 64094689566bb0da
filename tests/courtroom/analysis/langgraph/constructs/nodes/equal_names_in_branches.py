"""One function name defined in both branches of a test that is not known."""
import os

from langgraph.graph import END, START, StateGraph

if os.getenv("FAST"):
    def reader(state):
        return {"fast": True}
else:
    def reader(state):
        return {"fast": False}

g = StateGraph(dict)
g.add_node(reader)
g.add_edge(START, "reader")
g.add_edge("reader", END)
app = g.compile()
