"""Cuts from a long text that begin with a whole word."""

from __future__ import annotations


def word_start(text: str, start: int, end: int) -> int:
    """Return where the first whole word from `start` on begins, `end` at most."""
    if start <= 0:
        return 0
    space = text.find(" ", start - 1, end)
    return space + 1 if space >= 0 else end
