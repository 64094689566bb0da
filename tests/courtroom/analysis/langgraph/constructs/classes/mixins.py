"""Two mixins, each wires its part."""
from langgraph.graph import END, START, StateGraph


class Detectives:
    def add_detectives(self):
        self.g.add_node("repo", lambda state: state)
        self.g.add_edge(START, "repo")


class Judges:
    def add_judges(self):
        self.g.add_node("judge", lambda state: state)
        self.g.add_edge("repo", "judge")
        self.g.add_edge("judge", END)


class Court(Detectives, Judges):
    def __init__(self):
        self.g = StateGraph(dict)
        self.add_detectives()
        self.add_judges()


app = Court().g.compile()
