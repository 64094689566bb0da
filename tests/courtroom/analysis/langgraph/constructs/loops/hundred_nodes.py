"""A chain of a hundred nodes."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for i in range(100):
    g.add_node(f"n{i}", lambda state: state)
for i in range(99):
    g.add_edge(f"n{i}", f"n{i + 1}")
g.add_edge(START, "n0")
g.add_edge("n99", END)
app = g.compile()
