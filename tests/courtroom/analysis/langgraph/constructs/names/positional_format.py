"""Names by str.format with positions, indexes and keywords."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
g.add_node("{}_{}".format("a", 1), lambda state: state)
g.add_node("{1}_{0}".format("x", "b"), lambda state: state)
g.add_node("{name}_node".format(name="c"), lambda state: state)
g.add_edge(START, "a_1")
g.add_edge("a_1", "{1}_{0}".format("x", "b"))
g.add_edge("b_x", "c_node")
g.add_edge("c_node", END)
app = g.compile()
