"""A nonlocal variable that a closure moves on."""
from langgraph.graph import END, START, StateGraph


def build():
    g = StateGraph(dict)
    previous = START

    def then(name):
        nonlocal previous
        g.add_node(name, lambda state: state)
        g.add_edge(previous, name)
        previous = name

    then("a")
    then("b")
    g.add_edge(previous, END)
    return g.compile()


app = build()
