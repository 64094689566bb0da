"""A builder in a global variable that a function sets."""
from langgraph.graph import END, START, StateGraph

g = None


def begin():
    global g
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)


def finish():
    g.add_edge(START, "a")
    g.add_edge("a", END)


begin()
finish()
app = g.compile()
