"""Send, or END when there is nothing."""
# inputs: [{"items": [1]}, {"items": []}]
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send


def fan_out(state):
    if not state["items"]:
        return END
    return [Send("judge", item) for item in state["items"]]


g = StateGraph(dict)
g.add_node("plan", lambda state: state)
g.add_node("judge", lambda state: state)
g.add_edge(START, "plan")
g.add_conditional_edges("plan", fan_out, ["judge", END])
g.add_edge("judge", END)
app = g.compile()
