"""Stub run: a submission's graph, rebuilt with empty nodes, runs as LangGraph runs it."""
