"""A decorator without wraps gives the wrapper's name."""
from langgraph.graph import END, START, StateGraph


def logged(function):
    def wrapper(state):
        return function(state)

    return wrapper


@logged
def reader(state):
    return state


g = StateGraph(dict)
g.add_node(reader)
g.add_edge(START, "wrapper")
g.add_edge("wrapper", END)
app = g.compile()
