"""A join by a list of starts."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in ("a", "b", "join"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_edge(START, "b")
g.add_edge(["a", "b"], "join")
g.add_edge("join", END)
app = g.compile()
