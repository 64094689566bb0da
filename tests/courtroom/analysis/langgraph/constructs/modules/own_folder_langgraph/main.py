from src.langgraph.graph import build

app = build().compile()
