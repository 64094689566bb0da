"""A generator function yields the pairs."""
from langgraph.graph import END, START, StateGraph


def pairs(names):
    previous = START
    for name in names:
        yield previous, name
        previous = name
    yield previous, END


g = StateGraph(dict)
for name in ("a", "b"):
    g.add_node(name, lambda state: state)
for start, end in pairs(["a", "b"]):
    g.add_edge(start, end)
app = g.compile()
