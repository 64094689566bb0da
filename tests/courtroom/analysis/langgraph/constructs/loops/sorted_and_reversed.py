"""sorted, sorted in reverse, sorted by a key, and list.sort."""
from langgraph.graph import END, START, StateGraph

names = ["c", "a", "bb"]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
up = sorted(names)
down = sorted(names, reverse=True)
by_length = sorted(names, key=len)
names.sort()
g.add_edge(START, up[0])
g.add_edge(up[0], down[0])
g.add_edge(down[0], by_length[-1])
g.add_edge(by_length[-1], END)
app = g.compile()
