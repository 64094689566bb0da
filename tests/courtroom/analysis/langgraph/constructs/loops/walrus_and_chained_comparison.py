"""An assignment expression, and 0 < i < 3."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for i in range(5):
    if 0 < i < 3 and (name := f"n{i}"):
        g.add_node(name, lambda state: state)
        g.add_edge(START, name)
        g.add_edge(name, END)
app = g.compile()
