"""A router that is a method and reads an attribute."""
# inputs: [{}, {"stop": 1}]
from langgraph.graph import END, START, StateGraph


class Court:
    def __init__(self, following):
        self.following = following

    def route(self, state):
        if state.get("stop"):
            return END
        return self.following


g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", Court("b").route)
g.add_edge("b", END)
app = g.compile()
