"""The Chief Justice: typed rules that turn opinions and evidence into a verdict.

Pure functions without model, clock or randomness. `guards.py` lets a rule apply only where a CEL
condition is true (docs/guards.md).
"""
