"""Names by the % operator."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for i, kind in [(1, "read"), (2, "write")]:
    g.add_node("%s_%d" % (kind, i), lambda state: state)
    g.add_edge(START, "%s_%d" % (kind, i))
    g.add_edge("%(kind)s_%(i)02d"[:0] + "%s_%s" % (kind, i), END)
g.add_node("%s_node" % "last", lambda state: state)
g.add_edge("read_1", "last_node")
app = g.compile()
