from graph import build

app = build()
