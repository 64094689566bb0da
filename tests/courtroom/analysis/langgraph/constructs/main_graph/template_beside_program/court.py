from langgraph.graph import END, START, StateGraph


def build():
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)
    g.add_edge(START, "a")
    g.add_edge("a", END)
    return g.compile()


if __name__ == "__main__":
    app = build()
