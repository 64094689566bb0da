"""Every second name, backwards."""
from langgraph.graph import END, START, StateGraph

names = ["a", "b", "c", "d", "e"]
g = StateGraph(dict)
for name in names:
    g.add_node(name, lambda state: state)
picked = names[::-2]
for left, right in zip(picked, picked[1:]):
    g.add_edge(left, right)
g.add_edge(START, picked[0])
g.add_edge(picked[-1], END)
app = g.compile()
