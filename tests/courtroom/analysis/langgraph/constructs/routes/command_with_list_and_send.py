"""Command to several nodes, and to a Send."""
# inputs: [{}, {"ok": 1}]
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send


def gate(state):
    if state.get("ok"):
        return Command(goto=["a", "b"])
    return Command(goto=[Send("c", {"n": 1}), Send("c", {"n": 2})])


g = StateGraph(dict)
g.add_node("gate", gate)
for name in ("a", "b", "c"):
    g.add_node(name, lambda state: state)
    g.add_edge(name, END)
g.add_edge(START, "gate")
app = g.compile()
