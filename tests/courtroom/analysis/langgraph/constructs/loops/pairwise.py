"""itertools.pairwise."""
from itertools import pairwise

from langgraph.graph import END, START, StateGraph

order = ["load", "judge", "report"]
g = StateGraph(dict)
for name in order:
    g.add_node(name, lambda state: state)
for left, right in pairwise([START, *order, END]):
    g.add_edge(left, right)
app = g.compile()
