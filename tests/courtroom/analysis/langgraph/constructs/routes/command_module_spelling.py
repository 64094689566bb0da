"""Command through its module."""
# inputs: [{}]
import langgraph.types as types
from langgraph.graph import END, START, StateGraph


def gate(state):
    return types.Command(goto="b")


g = StateGraph(dict)
g.add_node("gate", gate)
g.add_node("b", lambda state: state)
g.add_edge(START, "gate")
g.add_edge("b", END)
app = g.compile()
