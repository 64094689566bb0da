"""Command(update=...) leads nowhere; the edges count."""
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command


def gate(state):
    return Command(update={"passed": True})


g = StateGraph(dict)
g.add_node("gate", gate)
g.add_edge(START, "gate")
g.add_edge("gate", END)
app = g.compile()
