"""A parameter with a default decides; the call passes it."""
from langgraph.graph import END, START, StateGraph


def build(parallel=False, depth: int = 1):
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)
    g.add_node("b", lambda state: state)
    g.add_edge(START, "a")
    if parallel:
        g.add_edge(START, "b")
        g.add_edge("a", END)
    else:
        g.add_edge("a", "b")
    if depth > 2:
        g.add_edge("b", "a")
    g.add_edge("b", END)
    return g.compile()


app = build(parallel=True)
