"""yield from."""
from langgraph.graph import END, START, StateGraph


def inner():
    yield "a"
    yield "b"


def outer():
    yield from inner()
    yield "c"


g = StateGraph(dict)
for name in outer():
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
