"""Names by string methods."""
from langgraph.graph import END, START, StateGraph

g = StateGraph(dict)
raw = "Repo Reader,Doc Reader"
names = [part.strip().lower().replace(" ", "_") for part in raw.split(",")]
for name in names:
    g.add_node(name, lambda state: state)
    g.add_edge(START, name)
    g.add_edge(name, "_".join(["all", "done"]))
g.add_node("all_done", lambda state: state)
g.add_edge("all done".replace(" ", "_"), END)
g.add_node("x".zfill(3), lambda state: state)
g.add_edge(START, "00x")
app = g.compile()
