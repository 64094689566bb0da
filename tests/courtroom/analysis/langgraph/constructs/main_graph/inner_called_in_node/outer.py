from langgraph.graph import END, START, StateGraph

from inner import panel


def hear(state):
    return panel.invoke(state)


def build():
    g = StateGraph(dict)
    g.add_node("hear", hear)
    g.add_edge(START, "hear")
    g.add_edge("hear", END)
    return g.compile()


app = build()
