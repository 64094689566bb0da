"""A ready-made agent is the whole program."""
# expect: create_react_agent
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.prebuilt import create_react_agent

app = create_react_agent(FakeListChatModel(responses=["yes"]), tools=[])
