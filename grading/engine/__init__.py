"""The site's only door to the courtroom; imports it inside functions, never at module level.

The web process therefore never pays for langgraph. `report.py` is the typed report: no other module
reads the report's JSON by key (docs/decisions/0003-typed-report.md).
"""
