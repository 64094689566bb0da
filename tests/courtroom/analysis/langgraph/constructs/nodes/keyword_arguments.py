"""Every argument by its name, and arguments unpacked from dicts and tuples."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(state_schema=dict)
g.add_node(node="a", action=lambda state: state)
g.add_node(**{"node": "b", "action": lambda state: state})
g.add_node(*("c", lambda state: state))
g.add_edge(start_key=START, end_key="a")
g.add_edge(**dict(start_key="a", end_key="b"))
g.add_edge(*["b", "c"])
g.add_edge(end_key=END, start_key="c")
app = g.compile()
