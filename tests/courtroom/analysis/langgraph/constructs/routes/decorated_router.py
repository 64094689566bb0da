"""A router behind a decorator."""
# inputs: [{}, {"ok": 1}]
import functools

from langgraph.graph import END, START, StateGraph


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@logged
def route(state):
    return "b" if state.get("ok") else END


g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_edge("b", END)
app = g.compile()
