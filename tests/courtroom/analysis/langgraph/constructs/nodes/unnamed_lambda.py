"""A lambda is named <lambda>."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node(lambda state: state)
g.add_edge(START, "<lambda>")
g.add_edge("<lambda>", END)
app = g.compile()
