"""A ready-made agent as a node: its inside is the library's."""
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import create_react_agent

model = FakeListChatModel(responses=["yes"])
g = StateGraph(MessagesState)
g.add_node("agent", create_react_agent(model, []))
g.add_edge(START, "agent")
g.add_edge("agent", END)
app = g.compile()
