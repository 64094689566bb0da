"""assert and a guard that raises do not end the building."""
from langgraph.graph import END, START, StateGraph

names = ["a"]
assert names
if not names:
    raise RuntimeError("no names")
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
