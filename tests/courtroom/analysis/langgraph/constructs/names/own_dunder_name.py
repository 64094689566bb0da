"""An instance with its own __name__, and a function that is renamed."""
from langgraph.graph import END, START, StateGraph


class Worker:
    def __init__(self, name):
        self.__name__ = name

    def __call__(self, state):
        return state


def step(state):
    return state


step.__name__ = "renamed"
g = StateGraph(dict)
g.add_node(Worker("first"))
g.add_node(step)
g.add_edge(START, "first")
g.add_edge("first", "renamed")
g.add_edge("renamed", END)
app = g.compile()
