"""A list of calls kept as tuples of method and arguments."""
from langgraph.graph import END, START, StateGraph

PLAN = [
    (StateGraph.add_node, ("a", lambda state: state)),
    (StateGraph.add_edge, (START, "a")),
    (StateGraph.add_edge, ("a", END)),
]
g = StateGraph(dict)
for method, arguments in PLAN:
    method(g, *arguments)
app = g.compile()
