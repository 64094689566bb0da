"""A ToolNode without a name is called tools."""
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import ToolNode


@tool
def look(place: str) -> str:
    """Look at a place."""
    return place


g = StateGraph(dict)
g.add_node(ToolNode([look]))
g.add_edge(START, "tools")
g.add_edge("tools", END)
app = g.compile()
