"""A list edge before its nodes are added."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge(["a", "b"], "c")
g.add_node("b", lambda state: state)
g.add_node("c", lambda state: state)
g.add_edge(START, "b")
g.add_edge("c", END)
app = g.compile()
