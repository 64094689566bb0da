from langgraph.graph import END, START, StateGraph

from .nodes import read


def build():
    g = StateGraph(dict)
    g.add_node("read", read)
    g.add_edge(START, "read")
    g.add_edge("read", END)
    return g
