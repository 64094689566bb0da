"""Inner and outer graph in functions, the inner one made first at import."""
from langgraph.graph import END, START, StateGraph

inner = StateGraph(dict)
for name in ("x", "y", "z"):
    inner.add_node(name, lambda state: state)
    inner.add_edge(START, name)
    inner.add_edge(name, END)
team = inner.compile()


def build():
    g = StateGraph(dict)
    g.add_node("team", team)
    g.add_edge(START, "team")
    g.add_edge("team", END)
    return g.compile()


app = build()
