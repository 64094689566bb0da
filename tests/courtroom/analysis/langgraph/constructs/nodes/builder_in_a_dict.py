"""The builder kept in a dict and in a list."""
from langgraph.graph import END, START, StateGraph

graphs = {"main": StateGraph(dict)}
graphs["main"].add_node("a", lambda state: state)
stack = [graphs["main"]]
stack[0].add_edge(START, "a")
for builder in graphs.values():
    builder.add_edge("a", END)
app = graphs["main"].compile()
