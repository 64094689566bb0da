from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in ("x", "y", "z"):
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
team = g.compile()
