"""pop, setdefault, del and update of a dict of nodes."""
from langgraph.graph import END, START, StateGraph

nodes = {"a": print, "b": print, "c": print}
nodes.pop("a")
nodes.setdefault("d", print)
nodes.update(e=print)
del nodes["c"]
g = StateGraph(dict)
for name, action in nodes.items():
    g.add_node(name, action)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
