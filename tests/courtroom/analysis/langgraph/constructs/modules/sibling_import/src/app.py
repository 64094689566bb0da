import nodes
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in nodes.NAMES:
    g.add_node(name, nodes.read)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
