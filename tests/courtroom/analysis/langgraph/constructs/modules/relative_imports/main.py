from court.graph import build

app = build().compile()
