"""The base class calls hooks of its subclass."""
from abc import ABC, abstractmethod

from langgraph.graph import END, START, StateGraph


class Pipeline(ABC):
    @abstractmethod
    def names(self): ...

    def build(self):
        g = StateGraph(dict)
        for name in self.names():
            g.add_node(name, lambda state: state)
            g.add_edge(START, name)
            g.add_edge(name, END)
        return g.compile()


class Audit(Pipeline):
    def names(self):
        return ["repo", "doc"]


app = Audit().build()
