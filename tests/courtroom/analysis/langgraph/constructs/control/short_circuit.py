"""`and`, `or` and a conditional expression with effects."""
# environments: [{}, {"LINK": "1"}]
import os

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
os.getenv("LINK") and g.add_edge("a", "b")
g.add_edge("b", END)
app = g.compile()
