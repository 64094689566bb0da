"""if TYPE_CHECKING: is false at run time."""
from typing import TYPE_CHECKING

from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
if TYPE_CHECKING:
    g.add_edge("a", "typing")
g.add_edge("a", END)
app = g.compile()
