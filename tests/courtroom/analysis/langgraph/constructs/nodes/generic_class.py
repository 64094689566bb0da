"""StateGraph[State](State), and an annotated variable."""
from typing import TypedDict

from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    text: str


g: StateGraph = StateGraph[State](State)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
g.add_edge("a", END)
app = g.compile()
