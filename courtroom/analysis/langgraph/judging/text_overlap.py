"""Text that prompts have in common, in words and in runs of words."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Words shared singly are language; a run of three is text.
RUN_WORDS = 3
MAX_WORDS = 20_000

_Run = tuple[str, ...]


def plain_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without the names of {placeholders}."""
    return re.findall(r"\w+", re.sub(r"\{\w*\}", " ", text.lower()))[:MAX_WORDS]


def shared_text(left: str, right: str) -> float:
    """Return the share, 0..1, of the words of both texts in runs of three that both have."""
    first, second = plain_words(left), plain_words(right)
    common = _runs(first) & _runs(second)
    covered = _count_covered(first, common) + _count_covered(second, common)
    return covered / max(1, len(first) + len(second))


def own_words(texts: Mapping[str, str]) -> dict[str, int]:
    """Count for each text, by its name, the words in no run that another text has too."""
    words = {name: plain_words(text) for name, text in texts.items()}
    runs = {name: _runs(text_words) for name, text_words in words.items()}
    counts: dict[str, int] = {}
    for name, text_words in words.items():
        foreign_runs = {run for other in runs if other != name for run in runs[other]}
        counts[name] = len(text_words) - _count_covered(text_words, foreign_runs)
    return counts


def mostly_own(texts: Mapping[str, str]) -> set[str]:
    """Return the names of the texts of which most words are in no other text, in any order.

    Of a few words about a name no run of three is common, though all but the name may be.
    """
    words = {name: plain_words(text) for name, text in texts.items()}
    own = {
        name: [word for word in text_words if not any(word in words[n] for n in words if n != name)]
        for name, text_words in words.items()
    }
    return {name for name in texts if len(own[name]) * 2 > len(words[name])}


def _runs(words: list[str]) -> set[_Run]:
    return {tuple(words[at : at + RUN_WORDS]) for at in range(len(words) - RUN_WORDS + 1)}


def _count_covered(words: list[str], runs: set[_Run]) -> int:
    """Count the words that lie in one of the runs."""
    covered: set[int] = set()
    for at in range(len(words) - RUN_WORDS + 1):
        if tuple(words[at : at + RUN_WORDS]) in runs:
            covered.update(range(at, at + RUN_WORDS))
    return len(covered)
