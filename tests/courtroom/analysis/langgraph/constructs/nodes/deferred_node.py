"""defer=True, metadata and retry policy change no edge."""
from langgraph.graph import END, START, StateGraph
from langgraph.types import RetryPolicy

g = StateGraph(dict)
g.add_node("a", lambda state: state, retry_policy=RetryPolicy(max_attempts=3))
g.add_node("b", lambda state: state, metadata={"kind": "join"})
g.add_node("last", lambda state: state, defer=True)
g.add_edge(START, "a")
g.add_edge(START, "b")
g.add_edge("a", "last")
g.add_edge("b", "last")
g.add_edge("last", END)
app = g.compile()
