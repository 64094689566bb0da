"""A class of the project's own called StateGraph."""
# expect: class of the repository's own


class StateGraph:
    def __init__(self, state):
        self.nodes = {}

    def add_node(self, name, action):
        self.nodes[name] = action

    def compile(self):
        return self


g = StateGraph(dict)
g.add_node("a", print)
app = g.compile()
