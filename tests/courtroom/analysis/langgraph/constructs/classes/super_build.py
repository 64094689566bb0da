"""A subclass that adds to what super().build() made."""
from langgraph.graph import END, START, StateGraph


class Base:
    def build(self):
        g = StateGraph(dict)
        g.add_node("a", lambda state: state)
        g.add_edge(START, "a")
        return g


class Extended(Base):
    def build(self):
        g = super().build()
        g.add_node("b", lambda state: state)
        g.add_edge("a", "b")
        g.add_edge("b", END)
        return g


app = Extended().build().compile()
