"""Names by a property, and a builder by a cached one."""
from functools import cached_property

from langgraph.graph import END, START, StateGraph


class Court:
    @property
    def names(self):
        return ["a", "b"]

    @cached_property
    def builder(self):
        return StateGraph(dict)

    @classmethod
    def make(cls):
        return cls()

    @staticmethod
    def end():
        return END


court = Court.make()
for name in court.names:
    court.builder.add_node(name, lambda state: state)
    court.builder.add_edge(START, name)
    court.builder.add_edge(name, court.end())
app = court.builder.compile()
