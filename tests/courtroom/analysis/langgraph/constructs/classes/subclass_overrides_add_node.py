"""A subclass whose add_node gives every name a prefix."""
from langgraph.graph import END, START, StateGraph


class Prefixed(StateGraph):
    def add_node(self, node, action=None, **options):
        return super().add_node(f"x_{node}", action, **options)


g = Prefixed(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "x_a")
g.add_edge("x_a", END)
app = g.compile()
