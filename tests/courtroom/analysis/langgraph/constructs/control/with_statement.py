"""A context manager of the project that yields the builder."""
from contextlib import contextmanager

from langgraph.graph import END, START, StateGraph


@contextmanager
def building():
    builder = StateGraph(dict)
    builder.add_node("a", lambda state: state)
    yield builder
    builder.add_edge("a", END)


with building() as g:
    g.add_edge(START, "a")
app = g.compile()
