"""RunnableLambda(..., name=...), and a chain, which is called by its steps' class."""
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph


def clean(state):
    return state


g = StateGraph(dict)
g.add_node(RunnableLambda(clean, name="washer"))
g.add_node("chain", RunnableLambda(clean) | RunnableLambda(clean))
g.add_edge(START, "washer")
g.add_edge("washer", "chain")
g.add_edge("chain", END)
app = g.compile()
