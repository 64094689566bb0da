"""A program without LangGraph."""
# expect: no LangGraph
app = [1, 2, 3]
