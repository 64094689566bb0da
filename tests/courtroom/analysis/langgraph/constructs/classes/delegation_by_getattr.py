"""A wrapper that passes everything on by __getattr__."""
from langgraph.graph import END, START, StateGraph


class Wrapper:
    def __init__(self):
        self.inner = StateGraph(dict)

    def __getattr__(self, name):
        return getattr(self.inner, name)


g = Wrapper()
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("a", END)
app = g.compile()
