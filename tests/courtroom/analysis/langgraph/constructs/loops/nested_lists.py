"""Layers as a list of lists."""
from langgraph.graph import END, START, StateGraph

layers = [["a"], ["b", "c"], ["d"]]
g = StateGraph(dict)
for layer in layers:
    for name in layer:
        g.add_node(name, lambda state: state)
for upper, lower in zip(layers, layers[1:]):
    for start in upper:
        for end in lower:
            g.add_edge(start, end)
g.add_edge(START, "a")
g.add_edge("d", END)
app = g.compile()
