"""Modulo, multiplication and floor division in conditions."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for i in range(4):
    g.add_node(f"n{i}", lambda state: state)
    if i % 2 == 0:
        g.add_edge(START, f"n{i}")
    if i // 2 == 1 or i * 3 == 3:
        g.add_edge(f"n{i}", END)
g.add_edge("n0", "n1")
app = g.compile()
