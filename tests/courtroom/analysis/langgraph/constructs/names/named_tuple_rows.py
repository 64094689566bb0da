"""Rows as NamedTuple instances, by attribute, by index and unpacked."""
from typing import NamedTuple

from langgraph.graph import END, START, StateGraph


class Step(NamedTuple):
    name: str
    after: str = START


STEPS = [Step("a"), Step("b", "a"), Step(name="c", after="b")]
g = StateGraph(dict)
for name, after in STEPS:
    g.add_node(name, lambda state: state)
for step in STEPS:
    g.add_edge(step.after, step[0])
g.add_edge("c", END)
app = g.compile()
