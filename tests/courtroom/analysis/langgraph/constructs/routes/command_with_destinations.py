"""destinations= for a node whose Commands cannot be told."""
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command


def gate(state):
    return Command(goto=state["next"])


g = StateGraph(dict)
g.add_node("gate", gate, destinations=("b", END))
g.add_node("other", gate, destinations={"b": "when it is ready"})
g.add_node("b", lambda state: state)
g.add_edge(START, "gate")
g.add_edge(START, "other")
g.add_edge("b", END)
app = g.compile()
