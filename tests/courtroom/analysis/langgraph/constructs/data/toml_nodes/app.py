import tomllib

from langgraph.graph import END, START, StateGraph

with open("flow.toml", "rb") as file:
    flow = tomllib.load(file)
g = StateGraph(dict)
for name in flow["nodes"]:
    g.add_node(name, lambda state: state)
    g.add_edge(name, END)
g.add_edge(START, flow["entry"]["name"])
g.add_edge("a", "b")
app = g.compile()
