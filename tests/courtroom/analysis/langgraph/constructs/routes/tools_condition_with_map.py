"""tools_condition with a map to other names."""
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

g = StateGraph(MessagesState)
g.add_node("agent", lambda state: {"messages": []})
g.add_node("instruments", ToolNode([]))
g.add_edge(START, "agent")
g.add_conditional_edges("agent", tools_condition, {"tools": "instruments", END: END})
g.add_edge("instruments", "agent")
app = g.compile()
