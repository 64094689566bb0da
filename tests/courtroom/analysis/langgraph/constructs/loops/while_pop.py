"""A queue that is emptied from the front."""
from langgraph.graph import END, START, StateGraph

queue = ["a", "b", "c"]
g = StateGraph(dict)
previous = START
while queue:
    name = queue.pop(0)
    g.add_node(name, lambda state: state)
    g.add_edge(previous, name)
    previous = name
g.add_edge(previous, END)
app = g.compile()
