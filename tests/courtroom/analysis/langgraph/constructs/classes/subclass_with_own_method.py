"""A subclass of StateGraph with a method that wires a chain."""
from langgraph.graph import END, START, StateGraph


class Chain(StateGraph):
    def chain(self, *names):
        previous = START
        for name in names:
            self.add_node(name, lambda state: state)
            self.add_edge(previous, name)
            previous = name
        self.add_edge(previous, END)
        return self


app = Chain(dict).chain("a", "b").compile()
