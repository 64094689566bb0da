"""Send to one node per item."""
# inputs: [{"items": [1, 2]}]
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send


def fan_out(state):
    return [Send("judge", {"item": item}) for item in state["items"]]


g = StateGraph(dict)
g.add_node("plan", lambda state: state)
g.add_node("judge", lambda state: state)
g.add_edge(START, "plan")
g.add_conditional_edges("plan", fan_out)
g.add_edge("judge", END)
app = g.compile()
