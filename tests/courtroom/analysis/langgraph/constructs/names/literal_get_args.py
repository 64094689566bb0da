"""Names taken from a Literal by typing.get_args."""
from typing import Literal, get_args

from langgraph.graph import END, START, StateGraph

Role = Literal["prosecutor", "defense"]
g = StateGraph(dict)
for role in get_args(Role):
    g.add_node(role, lambda state: state)
    g.add_edge(START, role)
    g.add_edge(role, END)
app = g.compile()
