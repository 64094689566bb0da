"""A ToolNode with a name of its own."""
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode

g = StateGraph(dict)
g.add_node(ToolNode([], name="instruments"))
g.add_edge(START, "instruments")
g.add_edge("instruments", END)
app = g.compile()
