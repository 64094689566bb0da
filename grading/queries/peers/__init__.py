"""Rounds, findings and reports, as one reader may see them."""
