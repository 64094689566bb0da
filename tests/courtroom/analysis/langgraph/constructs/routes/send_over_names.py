"""Send to every node of a list, appended in a loop."""
# inputs: [{}]
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

JUDGES = ["prosecutor", "defense", "tech_lead"]


def fan_out(state):
    sends = []
    for judge in JUDGES:
        sends.append(Send(judge, {**state, "judge": judge}))
    return sends


g = StateGraph(dict)
for judge in JUDGES:
    g.add_node(judge, lambda state: state)
    g.add_edge(judge, END)
g.add_conditional_edges(START, fan_out, JUDGES)
app = g.compile()
