"""zip of a list and its own tail."""
from langgraph.graph import END, START, StateGraph

order = ["load", "judge", "report"]
g = StateGraph(dict)
for name in order:
    g.add_node(name, lambda state: state)
for left, right in zip([START, *order], [*order, END]):
    g.add_edge(left, right)
app = g.compile()
