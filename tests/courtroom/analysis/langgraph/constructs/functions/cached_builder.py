"""A builder function behind lru_cache, called twice."""
from functools import lru_cache

from langgraph.graph import END, START, StateGraph


@lru_cache(maxsize=1)
def graph():
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)
    g.add_edge(START, "a")
    g.add_edge("a", END)
    return g.compile()


graph()
app = graph()
