"""A stack that is emptied from its end."""
from langgraph.graph import END, START, StateGraph

stack = ["a", "b", "c"]
g = StateGraph(dict)
g.add_node("hub", lambda state: state)
g.add_edge(START, "hub")
while len(stack) > 0:
    name = stack.pop()
    g.add_node(name, lambda state: state)
    g.add_edge("hub", name)
    g.add_edge(name, END)
app = g.compile()
