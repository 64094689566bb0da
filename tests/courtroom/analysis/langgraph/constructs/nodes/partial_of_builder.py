"""functools.partial over a method of the builder."""
from functools import partial

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in ("hub", "a", "b"):
    g.add_node(name, lambda state: state)
from_hub = partial(g.add_edge, "hub")
g.add_edge(START, "hub")
for name in ("a", "b"):
    from_hub(name)
    g.add_edge(name, END)
app = g.compile()
