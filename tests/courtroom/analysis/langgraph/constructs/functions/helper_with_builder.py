"""A helper that takes the builder and names."""
from langgraph.graph import END, START, StateGraph


def fan(builder, source, targets, sink):
    for target in targets:
        builder.add_edge(source, target)
        builder.add_edge(target, sink)


g = StateGraph(dict)
for name in ("a", "b"):
    g.add_node(name, lambda state: state)
fan(g, START, ["a", "b"], END)
app = g.compile()
