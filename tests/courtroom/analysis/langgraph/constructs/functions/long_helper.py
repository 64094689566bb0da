"""A helper of many statements that returns the names."""
from langgraph.graph import END, START, StateGraph


def plan():
    first = "a"
    second = "b"
    third = "c"
    names = []
    names.append(first)
    names.append(second)
    names.append(third)
    total = len(names)
    label = f"{total} names"
    known = {name: label for name in names}
    chosen = [name for name in names if name in known]
    return chosen


g = StateGraph(dict)
for name in plan():
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, END)
app = g.compile()
