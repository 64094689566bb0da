"""add_sequence with functions and named pairs."""
from langgraph.graph import END, START, StateGraph


def read(state):
    return state


g = StateGraph(dict)
g.add_sequence([read, ("judge", lambda state: state), ("report", lambda state: state)])
g.add_edge(START, "read")
g.add_edge("report", END)
app = g.compile()
