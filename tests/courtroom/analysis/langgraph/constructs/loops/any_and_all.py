"""Conditions by any, all, len and isinstance."""
from langgraph.graph import END, START, StateGraph

names = ["repo", "doc"]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
if any(name.startswith("re") for name in names):
    g.add_edge(START, "repo")
if all(len(name) == 4 for name in names):
    g.add_edge(START, "repo")
else:
    g.add_edge("repo", "doc")
if isinstance(names, list) and len(names) >= 2:
    g.add_edge("doc", END)
app = g.compile()
