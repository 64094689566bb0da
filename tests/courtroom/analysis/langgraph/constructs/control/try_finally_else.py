"""else and finally of try."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
try:
    g.add_node("a", lambda state: state)
except KeyError:
    raise
else:
    g.add_edge(START, "a")
finally:
    g.add_edge("a", END)
app = g.compile()
