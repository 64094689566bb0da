"""A map made by a comprehension, and one joined from two dicts."""
from langgraph.graph import END, START, StateGraph

NAMES = ["b", "c"]
g = StateGraph(dict)
for name in ("a", *NAMES):
    g.add_node(name, lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", lambda s: s["next"], {n: n for n in NAMES} | {"FINISH": END})
g.add_conditional_edges("b", lambda s: s["next"], {**{"again": "a"}, "stop": END})
g.add_edge("c", END)
app = g.compile()
