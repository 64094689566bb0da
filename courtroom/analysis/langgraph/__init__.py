"""The audited project's graph: its shape, the graphs inside it, its state, the part a node plays."""
