"""Enum members that carry tuples."""
from enum import Enum

from langgraph.graph import END, START, StateGraph


class Step(Enum):
    READ = ("read", 1)
    WRITE = ("write", 2)


g = StateGraph(dict)
for step in Step:
    g.add_node(step.value[0], lambda state: state)
    g.add_edge(START, step.value[0])
    g.add_edge(step.value[0], END)
app = g.compile()
