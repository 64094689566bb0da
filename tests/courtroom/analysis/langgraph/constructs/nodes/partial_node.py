"""functools.partial with a name."""
from functools import partial

from langgraph.graph import END, START, StateGraph


def judge(role, state):
    return state


g = StateGraph(dict)
for role in ("prosecutor", "defense"):
    g.add_node(role, partial(judge, role))
    g.add_edge(START, role)
    g.add_edge(role, END)
app = g.compile()
