"""A router that starts several nodes at once."""
# inputs: [{}, {"deep": 1}]
from langgraph.graph import END, START, StateGraph


def route(state):
    targets = ["repo", "doc"]
    if state.get("deep"):
        targets.append("vision")
    return targets


g = StateGraph(dict)
for name in ("plan", "repo", "doc", "vision"):
    g.add_node(name, lambda state: state)
g.add_edge(START, "plan")
g.add_conditional_edges("plan", route)
for name in ("repo", "doc", "vision"):
    g.add_edge(name, END)
app = g.compile()
