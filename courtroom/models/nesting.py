"""Nesting of a text that a person wrote, measured before any parser sees it."""

from __future__ import annotations


def nesting_of(text: str) -> int:
    """Return how many brackets stand open at most, those in quotations too."""
    depth = deepest = 0
    for character in text:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth = max(0, depth - 1)
    return deepest
