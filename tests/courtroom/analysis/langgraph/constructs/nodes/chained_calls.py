"""One expression of chained calls."""
from langgraph.graph import END, START, StateGraph

app = (
    StateGraph(dict)
    .add_node("a", lambda state: state)
    .add_node("b", lambda state: state)
    .add_edge(START, "a")
    .add_edge("a", "b")
    .add_edge("b", END)
    .compile()
)
