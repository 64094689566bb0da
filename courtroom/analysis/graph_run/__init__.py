"""Stub run: a submission's graph, rebuilt with empty nodes, runs in LangGraph itself."""
