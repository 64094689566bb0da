"""remove, pop, insert, extend, reverse, and assignment to an item."""
from langgraph.graph import END, START, StateGraph

names = ["x", "b", "c", "old"]
names.remove("x")
names.pop()
names.insert(0, "a")
names.extend(["d"])
names.reverse()
names[0] = "e"
del names[1]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
