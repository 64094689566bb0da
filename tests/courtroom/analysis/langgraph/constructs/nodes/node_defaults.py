"""set_node_defaults with a handler for every node."""
from langgraph.graph import END, START, StateGraph


def failed(state):
    return state


g = StateGraph(dict)
g.set_node_defaults(error_handler=failed)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("a", END)
app = g.compile()
