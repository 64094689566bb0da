"""Command(goto=...) without an annotation."""
# inputs: [{}, {"ok": 1}]
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command


def gate(state):
    if state.get("ok"):
        return Command(goto="b", update={"passed": True})
    return Command(goto=END)


g = StateGraph(dict)
g.add_node("gate", gate)
g.add_node("b", lambda state: state)
g.add_edge(START, "gate")
g.add_edge("b", END)
app = g.compile()
