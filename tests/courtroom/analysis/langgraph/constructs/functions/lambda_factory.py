"""Lambdas bind the loop's name, and an immediately called one."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
connect = lambda start, *ends: [g.add_edge(start, end) for end in ends]
for name in ("a", "b"):
    g.add_node(name, (lambda n: lambda state: {"n": n})(name))
connect(START, "a", "b")
connect("a", END)
connect("b", END)
app = g.compile()
