from langgraph.graph import END, START, StateGraph

from . import NAMES
from .nodes import reading


def build():
    g = StateGraph(dict)
    for name in NAMES:
        g.add_node(name, reading.read)
        g.add_edge(START, name)
        g.add_edge(name, END)
    return g
