"""MessagesState, as imported from LangGraph."""
from langgraph.graph import END, START, MessagesState, StateGraph

g = StateGraph(MessagesState)
g.add_node("chat", lambda state: {"messages": []})
g.add_edge(START, "chat")
g.add_edge("chat", END)
app = g.compile()
