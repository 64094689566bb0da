"""Node classes that register themselves by __init_subclass__."""
from langgraph.graph import END, START, StateGraph


class Node:
    registry = []

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Node.registry.append(cls)

    def __call__(self, state):
        return state


class Reader(Node):
    name = "reader"


class Judge(Node):
    name = "judge"


g = StateGraph(dict)
for kind in Node.registry:
    g.add_node(kind.name, kind())
    g.add_edge(START, kind.name)
    g.add_edge(kind.name, END)
app = g.compile()
