"""error_handler= adds a node of its own."""
from langgraph.graph import END, START, StateGraph


def failed(state):
    return state


g = StateGraph(dict)
g.add_node("a", lambda state: state, error_handler=failed)
g.add_edge(START, "a")
g.add_edge("a", END)
app = g.compile()
