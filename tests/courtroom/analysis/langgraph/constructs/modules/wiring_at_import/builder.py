from langgraph.graph import StateGraph

g = StateGraph(dict)
