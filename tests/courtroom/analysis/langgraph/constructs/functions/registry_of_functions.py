"""Functions registered in a list by a plain decorator, called in a loop."""
from langgraph.graph import END, START, StateGraph

STEPS = []


def step(function):
    STEPS.append(function)
    return function


@step
def nodes(builder):
    builder.add_node("a", lambda state: state)


@step
def edges(builder):
    builder.add_edge(START, "a")
    builder.add_edge("a", END)


g = StateGraph(dict)
for apply in STEPS:
    apply(g)
app = g.compile()
