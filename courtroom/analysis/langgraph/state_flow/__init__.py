"""Faults in the flow of data through a graph: each a sentence with the places that show it."""
