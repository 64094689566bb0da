"""match on a value that is known."""
from langgraph.graph import END, START, StateGraph

MODE = "parallel"
g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
match MODE:
    case "parallel":
        g.add_edge(START, "b")
        g.add_edge("a", END)
    case _:
        g.add_edge("a", "b")
g.add_edge("b", END)
app = g.compile()
