"""Twenty calls inside each other."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)


def down(n):
    if n == 20:
        g.add_node("deep", lambda state: state)
        g.add_edge(START, "deep")
        g.add_edge("deep", END)
        return
    down(n + 1)


down(0)
app = g.compile()
