"""Attacks on graders, each a clean submission and one change to it, and harmless work that
resembles them.
"""
