"""Difference of two texts, word by word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

Mark = Literal["same", "other", "gap"]
_WORD = re.compile(r"\w+(?:[.-]\w+)*|\s+|[^\w\s]")
# Longer texts take too long to compare word by word, and too long to read.
MAX_WORDS = 3_000
# SequenceMatcher looks at each pair of equal words, again after every change: 3,000 words made of
# four took 8 s, and a draft has hundreds of texts. English of 700 words has about 5,000 pairs.
MAX_PAIRS = 10_000
# Characters around a change; a longer stretch that both texts share is cut in its middle.
CONTEXT = 120
# Texts that are less alike than this (SequenceMatcher.ratio) are marked as a whole.
MIN_RATIO = 0.4


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one text: in both texts, in this one only, or a gap for shared text."""

    mark: Mark
    text: str


Segments = tuple[Segment, ...]


def mark_differences(before: str, after: str) -> tuple[Segments, Segments]:
    """Return both texts cut into segments where they differ.

    An empty text, a very long or repetitive one, or texts with little in common are marked as a
    whole.
    """
    if not before or not after:
        return _whole(before), _whole(after)

    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > MAX_WORDS or _pairs(old, new) > MAX_PAIRS:
        return _whole(before), _whole(after)

    matcher = SequenceMatcher(str.isspace, old, new, autojunk=False)
    if matcher.ratio() < MIN_RATIO:
        return _whole(before), _whole(after)

    steps = list(_steps(matcher))
    return _joined((mark, old[a]) for mark, a, _ in steps), _joined(
        (mark, new[b]) for mark, _, b in steps
    )


def _whole(text: str) -> Segments:
    return (Segment("other", text),) if text else ()


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    """Count the pairs of an old and a new word that are equal; blanks are not paired."""
    counts = Counter(new)
    return sum(counts[word] for word in old if not word.isspace())


def _steps(matcher: SequenceMatcher[str]) -> Iterator[tuple[Mark, slice, slice]]:
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        yield "same" if tag == "equal" else "other", slice(a, a_end), slice(b, b_end)


def _joined(parts: Iterator[tuple[Mark, Sequence[str]]]) -> Segments:
    """Join neighbouring segments with white space between changes, and shorten shared ones."""
    stretches: list[tuple[Mark, str]] = [(mark, "".join(words)) for mark, words in parts if words]
    marks: list[Mark] = [
        "other" if _between(stretches, n) else mark for n, (mark, _) in enumerate(stretches)
    ]
    runs = groupby(zip(marks, stretches, strict=True), key=lambda pair: pair[0])

    merged = [(mark, "".join(text for _, (_, text) in run)) for mark, run in runs]
    return tuple(
        piece
        for n, (mark, text) in enumerate(merged)
        for piece in _shortened(mark, text, is_first=n == 0, is_last=n == len(merged) - 1)
    )


def _between(stretches: list[tuple[Mark, str]], n: int) -> bool:
    return not stretches[n][1].strip() and 0 < n < len(stretches) - 1


def _shortened(mark: Mark, text: str, *, is_first: bool, is_last: bool) -> Iterator[Segment]:
    if mark == "other":
        yield Segment("other", text)
        return
    head = "" if is_first else text[:CONTEXT]
    tail = "" if is_last else text[-CONTEXT:]
    if len(text) <= len(head) + len(tail) + CONTEXT:
        yield Segment("same", text)
        return

    segments = (Segment("same", head), Segment("gap", "…"), Segment("same", tail))
    yield from (segment for segment in segments if segment.text)
