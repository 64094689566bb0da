"""First and rest of a list."""
from langgraph.graph import END, START, StateGraph

first, *rest = ["a", "b", "c"]
g = StateGraph(dict)
g.add_node(first, lambda state: state)
g.add_edge(START, first)
for name in rest:
    g.add_node(name, lambda state: state)
    g.add_edge(first, name)
    g.add_edge(name, END)
app = g.compile()
