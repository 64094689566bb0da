"""Confined processes: their namespaces, limits and system-call filter, and which work here."""
