from langgraph.graph import END, START

from builder import g

g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("a", END)
