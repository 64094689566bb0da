import wiring
from builder import g

app = g.compile()
