"""A dataclass of settings with known defaults decides."""
from dataclasses import dataclass, field

from langgraph.graph import END, START, StateGraph


@dataclass
class Settings:
    vision: bool = False
    judges: list = field(default_factory=lambda: ["x", "y"])


settings = Settings()
g = StateGraph(dict)
g.add_node("a", lambda state: state)
g.add_edge(START, "a")
for judge in settings.judges:
    g.add_node(judge, lambda state: state)
    g.add_edge("a", judge)
    g.add_edge(judge, END)
if settings.vision:
    g.add_node("vision", lambda state: state)
app = g.compile()
