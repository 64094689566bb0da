"""break in a for loop, and else of one that ends by itself."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
for name in ["a", "b", "stop", "c"]:
    if name == "stop":
        break
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
else:
    g.add_edge("a", "never")
for name in ["a", "b"]:
    g.add_edge(name, "last")
else:
    g.add_node("last", lambda state: state)
    g.add_edge("last", END)
app = g.compile()
