"""A while loop over a counter."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
i = 0
while i < 4:
    g.add_node(f"step_{i}", lambda state: state)
    if i > 0:
        g.add_edge(f"step_{i - 1}", f"step_{i}")
    i += 1
g.add_edge(START, "step_0")
g.add_edge("step_3", END)
app = g.compile()
