"""functools.partial without a name: LangGraph takes the name of its class."""
from functools import partial

from langgraph.graph import END, START, StateGraph


def judge(role, state):
    return state


g = StateGraph(dict)
g.add_node(partial(judge, "prosecutor"))
g.add_edge(START, "partial")
g.add_edge("partial", END)
app = g.compile()
