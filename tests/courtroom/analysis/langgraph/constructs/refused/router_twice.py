"""The same router twice after one node."""
from langgraph.graph import END, START, StateGraph


def route(state):
    return END


g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", route)
g.add_conditional_edges("a", route)
app = g.compile()
