"""A router inside a RunnableLambda."""
# inputs: [{}, {"ok": 1}]
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph


def route(state):
    return "b" if state.get("ok") else END


g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_node("b", lambda state: state)
g.add_edge(START, "a")
g.add_conditional_edges("a", RunnableLambda(route))
g.add_edge("b", END)
app = g.compile()
