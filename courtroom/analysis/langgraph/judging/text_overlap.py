"""How much text prompts have in common, in words and in runs of words."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Words shared one by one are language; a run of three is text.
SHORTEST_RUN = 3
MOST_WORDS = 20_000


def plain_words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())[:MOST_WORDS]


def shared_text(left: str, right: str) -> float:
    """How much of two texts is the same text: words in runs of three or more that both have, of all words, 0..1."""
    first, second = plain_words(left), plain_words(right)
    common = _runs(first) & _runs(second)
    return (_covered(first, common) + _covered(second, common)) / max(1, len(first) + len(second))


def _runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + SHORTEST_RUN]) for at in range(len(words) - SHORTEST_RUN + 1)}


def _covered(words: list[str], runs: set[tuple[str, ...]]) -> int:
    """How many of the words lie in one of the runs."""
    covered: set[int] = set()
    for at in range(len(words) - SHORTEST_RUN + 1):
        if tuple(words[at : at + SHORTEST_RUN]) in runs:
            covered.update(range(at, at + SHORTEST_RUN))
    return len(covered)


def own_words(texts: Mapping[str, str]) -> dict[str, int]:
    """For each text, by its name, how many of its words stand in no run that another one has too."""
    words = {name: plain_words(text) for name, text in texts.items()}
    runs = {name: _runs(told) for name, told in words.items()}
    return {
        name: len(told)
        - _covered(told, {run for other in runs if other != name for run in runs[other]})
        for name, told in words.items()
    }
