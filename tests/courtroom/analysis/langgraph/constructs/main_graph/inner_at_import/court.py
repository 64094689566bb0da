from langgraph.graph import END, START, StateGraph


def build():
    from team import team

    g = StateGraph(dict)
    g.add_node("team", team)
    g.add_edge(START, "team")
    g.add_edge("team", END)
    return g.compile()
