"""An async function builds, asyncio.run calls it."""
import asyncio

from langgraph.graph import END, START, StateGraph


async def build():
    g = StateGraph(dict)
    g.add_node("a", lambda state: state)
    g.add_edge(START, "a")
    g.add_edge("a", END)
    return g.compile()


app = asyncio.run(build())
