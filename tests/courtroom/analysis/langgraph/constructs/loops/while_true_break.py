"""A loop that is left by break."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
i = 0
while True:
    g.add_node(f"n{i}", lambda state: state)
    g.add_edge(START, f"n{i}")
    g.add_edge(f"n{i}", END)
    i += 1
    if i == 3:
        break
app = g.compile()
