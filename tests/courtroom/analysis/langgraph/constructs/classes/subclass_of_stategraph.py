"""A subclass of StateGraph that adds in its constructor and methods."""
from langgraph.graph import END, START, StateGraph


class Court(StateGraph):
    def __init__(self):
        super().__init__(dict)
        self.add_node("a", lambda state: state)
        self.wire()

    def wire(self):
        self.add_edge(START, "a")
        self.add_edge("a", END)


app = Court().compile()
