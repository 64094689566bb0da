"""A node named after the class of a callable instance."""
from langgraph.graph import END, START, StateGraph


class Reader:
    def __call__(self, state):
        return state


g = StateGraph(dict)
g.add_node(Reader())
g.add_edge(START, "Reader")
g.add_edge("Reader", END)
app = g.compile()
