"""LangGraph of the audited project: its graph, subgraphs, state schema, and the roles of nodes."""
