# coding: utf8
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("à", lambda state: state)
g.add_edge(START, "à")
g.add_edge("à", END)
app = g.compile()
