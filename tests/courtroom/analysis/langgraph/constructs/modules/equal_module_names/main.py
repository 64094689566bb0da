from langgraph.graph import END, START, StateGraph

from first.nodes import NAME as FIRST
from second.nodes import NAME as SECOND

g = StateGraph(dict)
g.add_node(FIRST, lambda state: state)
g.add_node(SECOND, lambda state: state)
g.add_edge(START, FIRST)
g.add_edge(FIRST, SECOND)
g.add_edge(SECOND, END)
app = g.compile()
