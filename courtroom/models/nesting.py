"""Length and nesting of a text that a person wrote, measured before any parser sees it."""

from __future__ import annotations

# Of a guard, a pattern of code, and words and paths, which become regular expressions. The longest
# known from practice has 24 characters.
MOST_CHARACTERS = 500


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
