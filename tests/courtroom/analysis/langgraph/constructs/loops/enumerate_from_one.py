"""enumerate with a start."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for number, kind in enumerate(["read", "write"], start=1):
    g.add_node(f"{number}_{kind}", lambda state: state)
    g.add_edge(START, f"{number}_{kind}")
    g.add_edge(f"{number}_{kind}", END)
app = g.compile()
