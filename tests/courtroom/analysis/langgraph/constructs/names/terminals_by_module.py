"""START and END through the module."""
import langgraph.graph as lg
from langgraph import graph as other

g = lg.StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(lg.START, "a")
g.add_edge("a", other.END)
app = g.compile()
