"""Edges inside comprehensions, with a condition."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
[g.add_node(n, lambda state: state) for n in ("a", "b", "c")]
[g.add_edge(START, n) for n in ("a", "b", "c") if n != "c"]
{n: g.add_edge(n, "c") for n in ("a", "b")}
_ = [g.add_edge("c", END)]
app = g.compile()
