"""Nodes registered by a decorator."""
from langgraph.graph import END, START, StateGraph

NODES = {}


def node(name):
    def register(function):
        NODES[name] = function
        return function

    return register


@node("read")
def read(state):
    return state


@node("judge")
def judge(state):
    return state


g = StateGraph(dict)
for name, action in NODES.items():
    g.add_node(name, action)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
