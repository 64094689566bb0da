"""Members of a StrEnum, looped over and used as names."""
from enum import StrEnum

from langgraph.graph import END, START, StateGraph


class Node(StrEnum):
    READ = "read"
    JUDGE = "judge"


g = StateGraph(dict)
for node in Node:
    g.add_node(node, lambda state: state)
g.add_edge(START, Node.READ)
g.add_edge(f"{Node.READ}", Node.JUDGE)
g.add_edge(Node.JUDGE.value, END)
app = g.compile()
