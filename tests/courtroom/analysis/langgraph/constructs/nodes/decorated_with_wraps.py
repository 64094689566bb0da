"""A decorator with functools.wraps keeps the name."""
import functools

from langgraph.graph import END, START, StateGraph


def logged(function):
    @functools.wraps(function)
    def wrapper(state):
        return function(state)

    return wrapper


@logged
def reader(state):
    return state


g = StateGraph(dict)
g.add_node(reader)
g.add_edge(START, "reader")
g.add_edge("reader", END)
app = g.compile()
