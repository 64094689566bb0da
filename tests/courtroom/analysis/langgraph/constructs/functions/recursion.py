"""A chain built by a function that calls itself."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)


def link(previous, names):
    if not names:
        g.add_edge(previous, END)
        return
    g.add_node(names[0], lambda state: state)
    g.add_edge(previous, names[0])
    link(names[0], names[1:])


link(START, ["a", "b", "c"])
app = g.compile()
