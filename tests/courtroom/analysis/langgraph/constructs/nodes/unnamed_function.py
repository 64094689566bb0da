"""A node named after its function."""
from langgraph.graph import END, START, StateGraph


def reader(state):
    return state


g = StateGraph(dict)
g.add_node(reader)
g.add_edge(START, "reader")
g.add_edge("reader", END)
app = g.compile()
