"""A node that is a bound method, with and without a name."""
from langgraph.graph import END, START, StateGraph


class Agent:
    def read(self, state):
        return state

    def write(self, state):
        return state


agent = Agent()
g = StateGraph(dict)
g.add_node(agent.read)
g.add_node("writer", agent.write)
g.add_edge(START, "read")
g.add_edge("read", "writer")
g.add_edge("writer", END)
app = g.compile()
