"""A StrEnum whose values are auto()."""
from enum import StrEnum, auto

from langgraph.graph import END, START, StateGraph


class Node(StrEnum):
    READ = auto()
    JUDGE = auto()


g = StateGraph(dict)
g.add_node(Node.READ, lambda state: state)
g.add_node(Node.JUDGE, lambda state: state)
g.add_edge(START, "read")
g.add_edge(Node.READ, Node.JUDGE)
g.add_edge(Node.JUDGE, END)
app = g.compile()
