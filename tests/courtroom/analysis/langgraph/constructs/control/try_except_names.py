"""Names that one of two branches of try gives: the import decides, and both are the same here."""
from langgraph.graph import END, START, StateGraph

try:
    import tomllib

    PARSER = "toml"
except ImportError:
    PARSER = "json"

g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
try:
    g.add_edge("a", END)
except ValueError:
    g.add_edge("a", "fallback")
app = g.compile()
