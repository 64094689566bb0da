"""Diagrams, written or drawn: their grammars, and what they say beside the code."""
