"""Names assembled by f-strings."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for role in ("prosecutor", "defense"):
    g.add_node(f"{role}_judge", lambda state: state)
    g.add_edge(START, f"{role}_judge")
    g.add_edge(f"{role}_judge", END)
app = g.compile()
