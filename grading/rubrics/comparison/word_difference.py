"""Two texts word by word: what one lost and the other gained."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

Mark = Literal["same", "other", "gap"]
_WORD = re.compile(r"\w+(?:[.-]\w+)*|\s+|[^\w\s]")
# Beyond this a comparison word by word takes too long to wait for, and too long to read.
MAX_WORDS = 3_000
# How much is shown around a change; a longer stretch that both share is cut in its middle.
CONTEXT = 120


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one of the texts: in both, in this one only, or left out here because both have it."""

    mark: Mark
    text: str


Segments = tuple[Segment, ...]


def mark_differences(before: str, after: str) -> tuple[Segments, Segments]:
    """Both texts cut where they differ. What only stands in one of two short or unlike texts is not cut small."""
    if not before or not after:
        return _whole(before), _whole(after)
    old, new = _WORD.findall(before), _WORD.findall(after)
    if len(old) + len(new) > MAX_WORDS:
        return _whole(before), _whole(after)
    matcher = SequenceMatcher(a=old, b=new, autojunk=False)
    if matcher.ratio() < 0.4:
        return _whole(before), _whole(after)
    steps = list(_steps(matcher))
    return _joined((mark, old[a]) for mark, a, _ in steps), _joined(
        (mark, new[b]) for mark, _, b in steps
    )


def _whole(text: str) -> Segments:
    return (Segment("other", text),) if text else ()


def _steps(matcher: SequenceMatcher[str]) -> Iterator[tuple[Mark, slice, slice]]:
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        yield "same" if tag == "equal" else "other", slice(a, a_end), slice(b, b_end)


def _joined(parts: Iterator[tuple[Mark, Sequence[str]]]) -> Segments:
    """Blank space between two changes is a part of the change; long shared stretches are shortened."""
    stretches: list[tuple[Mark, str]] = [(mark, "".join(words)) for mark, words in parts if words]
    marks: list[Mark] = [
        "other" if _between(stretches, n) else mark for n, (mark, _) in enumerate(stretches)
    ]
    runs = groupby(zip(marks, stretches, strict=True), key=lambda one: one[0])
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
    shown = (Segment("same", head), Segment("gap", "…"), Segment("same", tail))
    yield from (piece for piece in shown if piece.text)
