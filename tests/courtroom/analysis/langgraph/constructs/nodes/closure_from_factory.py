"""Nodes made by a factory; the unnamed one is called like the inner function."""
from langgraph.graph import END, START, StateGraph


def make(role):
    def judge(state):
        return {"role": role}

    return judge


g = StateGraph(dict)
g.add_node("prosecutor", make("prosecutor"))
g.add_node(make("defense"))
g.add_edge(START, "prosecutor")
g.add_edge(START, "judge")
g.add_edge(["prosecutor", "judge"], END)
app = g.compile()
