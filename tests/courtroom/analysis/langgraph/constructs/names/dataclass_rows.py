"""Rows as dataclass instances, fields by position and by default."""
from dataclasses import dataclass

from langgraph.graph import END, START, StateGraph


@dataclass
class Step:
    name: str
    after: str = START


STEPS = [Step("a"), Step("b", "a"), Step(name="c", after="b")]
g = StateGraph(dict)
for step in STEPS:
    g.add_node(step.name, lambda state: state)
    g.add_edge(step.after, step.name)
g.add_edge(STEPS[-1].name, END)
app = g.compile()
