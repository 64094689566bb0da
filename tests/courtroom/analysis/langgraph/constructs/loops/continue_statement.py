"""continue leaves one name out."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in ["a", "", "b"]:
    if not name:
        continue
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
