"""A class with __enter__ and __exit__ around the building."""
from langgraph.graph import END, START, StateGraph


class Building:
    def __init__(self):
        self.graph = StateGraph(dict)

    def __enter__(self):
        return self.graph

    def __exit__(self, *_):
        self.graph.add_edge("a", END)


building = Building()
with building as g:
    g.add_node("a", lambda state: state)
    g.add_edge(START, "a")
app = building.graph.compile()
