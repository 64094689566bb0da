"""getattr with a known and a looped name."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
getattr(g, "add_node")("a", lambda state: state)
for method, arguments in [("add_edge", (START, "a")), ("add_edge", ("a", END))]:
    getattr(g, method)(*arguments)
app = g.compile()
