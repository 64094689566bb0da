"""add_sequence over pairs from a dict."""
from langgraph.graph import END, START, StateGraph

STEPS = {"a": lambda state: state, "b": lambda state: state}
g = StateGraph(dict).add_sequence([(name, step) for name, step in STEPS.items()])
g.add_edge(START, "a")
g.add_edge("b", END)
app = g.compile()
