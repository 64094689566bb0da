"""A member of (str, Enum) in an f-string: Python writes Class.MEMBER."""
from enum import Enum

from langgraph.graph import END, START, StateGraph


class Role(str, Enum):
    READER = "reader"


g = StateGraph(dict)
g.add_node(f"{Role.READER}", lambda state: state)
g.add_edge(START, f"{Role.READER}")
g.add_edge(f"{Role.READER}", END)
app = g.compile()
