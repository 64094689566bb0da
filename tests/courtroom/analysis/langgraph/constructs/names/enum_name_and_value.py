"""Enum with .name, .name.lower() and .value."""
from enum import Enum

from langgraph.graph import END, START, StateGraph


class Role(Enum):
    READER = "reads"
    JUDGE = "judges"


g = StateGraph(dict)
for role in Role:
    g.add_node(role.name.lower(), lambda state: state)
    g.add_node(role.value, lambda state: state)
    g.add_edge(START, role.name.lower())
    g.add_edge(role.name.lower(), role.value)
    g.add_edge(role.value, END)
app = g.compile()
