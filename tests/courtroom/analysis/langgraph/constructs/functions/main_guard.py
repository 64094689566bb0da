"""Everything happens in main()."""
from langgraph.graph import END, START, StateGraph


def build():
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)
    g.add_edge(START, "a")
    g.add_edge("a", END)
    return g


def main():
    global app
    app = build().compile()


if __name__ == "__main__":
    main()
