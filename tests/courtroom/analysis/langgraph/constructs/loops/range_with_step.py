"""range with three arguments, and one that counts down."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for i in range(0, 6, 2):
    g.add_node(f"n{i}", lambda state: state)
for i in range(4, 0, -2):
    g.add_edge(f"n{i}", f"n{i - 2}")
g.add_edge(START, "n4")
g.add_edge("n0", END)
app = g.compile()
