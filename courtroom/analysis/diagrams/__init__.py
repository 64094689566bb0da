"""Diagrams, written or drawn: their grammars, and their comparison with the code's graph."""
