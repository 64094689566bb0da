"""A class that keeps its builder."""
from langgraph.graph import END, START, StateGraph


class Court:
    NAMES = ("a", "b")

    def __init__(self):
        self.g = StateGraph(dict)

    def nodes(self):
        for name in self.NAMES:
            self.g.add_node(name, lambda state: state)
        return self

    def edges(self):
        for name in self.NAMES:
            self.g.add_edge(START, name)
            self.g.add_edge(name, END)
        return self


app = Court().nodes().edges().g.compile()
