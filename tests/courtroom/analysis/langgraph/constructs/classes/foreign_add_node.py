"""Other classes with add_node and add_edge, which are no graph of LangGraph."""
from langgraph.graph import END, START, StateGraph


class Tree:
    def __init__(self):
        self.rows = []

    def add_node(self, name):
        self.rows.append(name)

    def add_edge(self, start, end):
        self.rows.append((start, end))


tree = Tree()
tree.add_node("root")
tree.add_edge("root", "leaf")
g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("a", END)
app = g.compile()
