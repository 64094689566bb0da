"""A condition on membership in a list."""
from langgraph.graph import END, START, StateGraph

JUDGES = ["prosecutor", "defense"]
g = StateGraph(dict)
for name in ["repo", "prosecutor", "defense", "chief"]:
    g.add_node(name, lambda state: state)
    if name in JUDGES:
        g.add_edge("repo", name)
        g.add_edge(name, "chief")
    elif name not in ["repo"]:
        g.add_edge(name, END)
g.add_edge(START, "repo")
app = g.compile()
