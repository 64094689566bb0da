"""An unnamed RunnableLambda of a function is called like the function."""
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph


def clean(state):
    return state


g = StateGraph(dict)
g.add_node(RunnableLambda(clean))
g.add_edge(START, "clean")
g.add_edge("clean", END)
app = g.compile()
