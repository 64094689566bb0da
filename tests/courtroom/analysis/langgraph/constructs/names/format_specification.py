"""An f-string with a format specification and a conversion."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for i in range(2):
    g.add_node(f"step_{i:02d}", lambda state: state)
    g.add_edge(START, f"step_{i:02d}")
    g.add_edge(f"step_{i:02d}", END)
quoted = f"{'q'!r}"
g.add_node(quoted, lambda state: state)
g.add_edge(START, quoted)
app = g.compile()
