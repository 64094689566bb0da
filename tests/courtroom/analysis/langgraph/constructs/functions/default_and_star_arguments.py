"""*args, **kwargs and defaults."""
from langgraph.graph import END, START, StateGraph


def chain(builder, *names, start=START, **options):
    previous = start
    for name in names:
        builder.add_node(name, lambda state: state)
        builder.add_edge(previous, name)
        previous = name
    builder.add_edge(previous, options["end"])


g = StateGraph(dict)
chain(g, "a", "b", end=END)
app = g.compile()
