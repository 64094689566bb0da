"""Constants of a class, inherited and combined."""
from langgraph.graph import END, START, StateGraph


class Base:
    READ = "read"


class Names(Base):
    JUDGE = "judge"
    ALL = [Base.READ, JUDGE]


g = StateGraph(dict)
for name in Names.ALL:
    g.add_node(name, lambda state: state)
g.add_edge(START, Names.READ)
g.add_edge(Names.READ, Names.JUDGE)
g.add_edge(getattr(Names, "JUDGE"), END)
app = g.compile()
