"""sorted(d.items()), and max of values."""
from langgraph.graph import END, START, StateGraph

ORDER = {"judge": 2, "read": 1, "report": 3}
g = StateGraph(dict)
previous = START
for name, _ in sorted(ORDER.items(), key=lambda item: item[1]):
    g.add_node(name, lambda state: state)
    g.add_edge(previous, name)
    previous = name
g.add_edge(previous, END)
app = g.compile()
