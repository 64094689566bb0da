"""split() at white space, splitlines, partition, indexing of text."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in "a b  c".split():
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
for name in "d\ne".splitlines():
    g.add_node(name, lambda state: state)
    g.add_edge("a", name)
head, _, tail = "b->d".partition("->")
g.add_edge(head, tail)
g.add_edge("cx"[0], END)
app = g.compile()
