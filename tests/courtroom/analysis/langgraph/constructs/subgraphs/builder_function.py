"""Inner graphs of one function, for two names."""
from langgraph.graph import END, START, StateGraph


def team(member):
    inner = StateGraph(dict)
    inner.add_node(member, lambda state: state)
    inner.add_edge(START, member)
    inner.add_edge(member, END)
    return inner.compile()


g = StateGraph(dict)
for name in ("first", "second"):
    g.add_node(name, team(f"{name}_member"))
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
