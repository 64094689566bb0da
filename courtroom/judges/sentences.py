"""Sentences in code: words to a reader that are spread over names, short strings and bare text.

Each name and string may be short enough to stay while many of them in turn still speak. Small words
near each other tell prose from code: in 84,000 lines of 20 projects of students this changes 39
lines of Python, nearly all of them strings that speak.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

# Different small words near each other: so many, within so many words.
FEWEST_SMALL, NEAR = 3, 10
# Words with nothing but blanks between them.
MOST_BARE = 8

# Words that join others to sentences; code names little by them, and they are no keywords.
_ENGLISH = (
    "an the this that these those you your yours we our us them they their she he his her who"
    " whoever whom whose which what when how why please should would could must shall will may"
    " might can cannot be been being are was were have had did does of to on at by than so such"
    " very every each anyone everyone nobody because since there here it its"
)
_OTHERS = (
    "los las una unos que por para con este esta sus son del todo toda der das dem ein eine einen"
    " und oder ist sind wird zu mit auf dass sie wir bitte nicht alle une est sont dans pour sur"
    " qui cette ces vous nous tout toute donnez"
)
SMALL_WORDS = frozenset(f"{_ENGLISH} {_OTHERS}".split())

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_KEYWORDS = r"(?:and|or|not|in|is|if|else|for|while|with|as|from|import|return|await|async|lambda)"
_BARE_WORD = rf"(?!{_KEYWORDS}\b)[A-Za-z0-9']++"
_BARE = re.compile(rf"(?<![\w']){_BARE_WORD}(?>(?:[ \t]++{_BARE_WORD}){{{MOST_BARE},}})")
# A sentence ends at these signs, for what is folded with it.
_STOP = re.compile(r"[\n\"'`=()\[\]{}<>:]")


def without_sentences(text: str) -> str:
    """Return the text with an omission for each part of a sentence; its lines stay as many."""
    bare = _BARE.sub("…", text)
    stops = [-1, *(match.start() for match in _STOP.finditer(bare)), len(bare)]
    parts, end = [], 0
    for place in _small_words_together(bare):
        number = bisect_right(stops, place)
        first, last = stops[number - 1] + 1, stops[number]
        if first >= end:
            indent = len(bare[first:last]) - len(bare[first:last].lstrip())
            parts += [bare[end : first + indent], "…"]
            end = last
    return "".join([*parts, bare[end:]])


def _small_words_together(text: str) -> Iterator[int]:
    """Yield the places of small words that stand near enough others, in their order."""
    near: list[tuple[int, int, str]] = []
    for number, match in enumerate(_WORD.finditer(text)):
        word = match[0].lower()
        if word not in SMALL_WORDS:
            continue
        near = [row for row in near if number - row[0] < NEAR]
        near.append((number, match.start(), word))
        if len({row[2] for row in near}) >= FEWEST_SMALL:
            yield from (row[1] for row in near)
