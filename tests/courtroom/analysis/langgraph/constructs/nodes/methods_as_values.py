"""Methods of the builder in short names and in a dict."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
node, edge = g.add_node, g.add_edge
node("a", lambda state: state)
edge(START, "a")
table = {"edge": g.add_edge}
table["edge"]("a", END)
app = g.compile()
