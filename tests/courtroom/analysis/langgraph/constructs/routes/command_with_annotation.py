"""Command[Literal[...]] whose goto comes out of the state."""
from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command


def gate(state) -> Command[Literal["b", "__end__"]]:
    return Command(goto=state["next"])


g = StateGraph(dict)
g.add_node("gate", gate)
g.add_node("b", lambda state: state)
g.add_edge(START, "gate")
g.add_edge("b", END)
app = g.compile()
