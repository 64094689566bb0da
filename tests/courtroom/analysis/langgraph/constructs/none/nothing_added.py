"""A StateGraph to which nothing is added."""
# expect: nothing is added
from langgraph.graph import StateGraph

app = StateGraph(dict)
