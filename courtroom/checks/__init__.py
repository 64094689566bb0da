"""Kinds of checks: one module per kind, with its model, detector, replay and label.

`registry.py` refuses an incomplete kind at import. The JSON Schema, the detectives, the survey, the
replay and the rubric editor are derived from it. A check has three outcomes: met, not met, or not
established with a reason; the third lowers no score. docs/contributor.md tells how to add a kind.
"""
