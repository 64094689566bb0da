import yaml
from langgraph.graph import END, StateGraph

with open("flow.yaml") as file:
    flow = yaml.safe_load(file)
g = StateGraph(dict)
for judge in flow["judges"]:
    g.add_node(judge["name"], lambda state: state)
    g.add_edge(judge["after"], judge["name"])
g.add_edge("defense", END)
app = g.compile()
