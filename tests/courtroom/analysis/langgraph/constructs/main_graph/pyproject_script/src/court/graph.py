from langgraph.graph import END, START, StateGraph


def build():
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)
    g.add_edge(START, "a")
    g.add_edge("a", END)
    return g.compile()


def build_large():
    g = StateGraph(dict)
    for name in ("x", "y", "z"):
        g.add_node(name, lambda state: state)
        g.add_edge(START, name)
        g.add_edge(name, END)
    return g.compile()
