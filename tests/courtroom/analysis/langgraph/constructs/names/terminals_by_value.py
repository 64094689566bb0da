"""START and END as their plain values and under other names."""
from langgraph.graph import END as FINISH
from langgraph.graph import StateGraph
from langgraph.constants import START as BEGIN

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge("__start__", "a")
g.add_edge(BEGIN, "b")
g.add_edge("a", "__end__")
g.add_edge("b", FINISH)
app = g.compile()
