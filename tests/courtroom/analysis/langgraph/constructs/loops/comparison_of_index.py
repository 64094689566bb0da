"""A chain that stops before its last name by a comparison."""
from langgraph.graph import END, START, StateGraph

names = ["a", "b", "c", "d"]
g = StateGraph(dict)
for i in range(len(names)):
    g.add_node(names[i], lambda state: state)
for i in range(len(names)):
    if i < len(names) - 1:
        g.add_edge(names[i], names[i + 1])
g.add_edge(START, names[0])
g.add_edge(names[-1], END)
app = g.compile()
