"""An own builder class with fluent methods around LangGraph's."""
from langgraph.graph import END, START, StateGraph


class Flow:
    def __init__(self, state):
        self._graph = StateGraph(state)
        self._last = START

    def then(self, name, action):
        self._graph.add_node(name, action)
        self._graph.add_edge(self._last, name)
        self._last = name
        return self

    def done(self):
        self._graph.add_edge(self._last, END)
        return self._graph.compile()


app = Flow(dict).then("a", print).then("b", print).done()
