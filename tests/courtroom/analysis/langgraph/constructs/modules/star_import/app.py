from langgraph.graph import END, START, StateGraph
from names import *

g = StateGraph(dict)
g.add_node(FIRST, lambda state: state)
g.add_node(SECOND, lambda state: state)
g.add_edge(START, FIRST)
g.add_edge(FIRST, SECOND)
g.add_edge(SECOND, END)
app = g.compile()
