"""The Command is made by a helper function."""
# inputs: [{}, {"ok": 1}]
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command


def jump(target):
    return Command(goto=target)


def gate(state):
    return jump("b") if state.get("ok") else jump(END)


g = StateGraph(dict)
g.add_node("gate", gate)
g.add_node("b", lambda state: state)
g.add_edge(START, "gate")
g.add_edge("b", END)
app = g.compile()
