"""A value without the people in it: strings, keys and paths of any JSON."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from grading.peer_review.redaction.contact_patterns import without_ways_out
from grading.peer_review.redaction.identity_marks import LONG, Identity, Mark, marks_of
from grading.peer_review.redaction.letter_positions import Letters, letters_of

WITHHELD = "[withheld]"
HEAD = 2
# How far the letters of a mark may stand apart, in characters.
APART = {"word": 1, "handle": 2, "phrase": 4}
# Keys of JSON whose value names somebody, whatever it says.
_NAMING = re.compile(
    r"(?:author|auditor|auditee|committer|contributor|maintainer|reviewer|student|peer)s?(?:_?(?:name|id|number|e?mail))?"
    r"|(?:full|first|last|user)_?names?|e?_?mails?(?:_?address(?:es)?)?|login|(?:repo_?)?owner|github|team_?members?"
    r"|(?:submitted|prepared|generated|audited|created|written)_by",
    re.IGNORECASE,
)


def redacted(value: Any, identity: Identity) -> Any:
    """The same JSON with everybody of `identity`, and whatever leads out of the site, replaced by WITHHELD.

    Numbers, truth values and the shape stay; keys that become the same are numbered.
    """
    if isinstance(value, str):
        return _without_people(without_ways_out(value, WITHHELD), identity)
    if isinstance(value, dict):
        return _pairs(value, identity)
    return [redacted(one, identity) for one in value] if isinstance(value, list | tuple) else value


def _pairs(pairs: dict[str, Any], identity: Identity) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in pairs.items():
        shown, number = redacted(key, identity), 2
        while shown in kept:
            shown, number = f"{redacted(key, identity)} {number}", number + 1
        kept[shown] = _withheld(value) if _NAMING.fullmatch(key) else redacted(value, identity)
    return kept


def _withheld(value: Any) -> Any:
    """Every word of it, whatever it is."""
    if isinstance(value, str):
        return WITHHELD if value else ""
    if isinstance(value, dict):
        return {WITHHELD: WITHHELD} if value else {}
    return [WITHHELD] if isinstance(value, list | tuple) and value else value


def _without_people(text: str, identity: Identity) -> str:
    spans = _joined(sorted(_spans(text, _book(identity))))
    for start, end in reversed(spans):
        text = text[:start] + WITHHELD + text[end:]
    return text


@dataclass(frozen=True, slots=True)
class _Book:
    """Marks by their first letters: those that begin a word, and those that may stand inside one."""

    at_words: dict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))
    anywhere: dict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))


@lru_cache(maxsize=8)
def _book(identity: Identity) -> _Book:
    book = _Book()
    for mark in marks_of(identity):
        book.at_words[mark.letters[:HEAD]].append(mark)
        if len(mark.letters) >= LONG and not mark.capital:
            book.anywhere[mark.letters[:LONG]].append(mark)
    return book


def _spans(text: str, book: _Book) -> Iterator[tuple[int, int]]:
    letters = letters_of(text)
    folded, at_words, anywhere = letters.folded, book.at_words, book.anywhere
    for at, begins in enumerate(letters.begins):
        if begins:
            for mark in at_words.get(folded[at : at + HEAD], ()):
                if _stands(mark, at, letters, text) and letters.closes[at + len(mark.letters) - 1]:
                    yield letters.starts[at], letters.ends[at + len(mark.letters) - 1]
                    break
        for mark in anywhere.get(folded[at : at + LONG], ()):
            if _stands(mark, at, letters, text):
                yield letters.starts[at], letters.ends[at + len(mark.letters) - 1]
                break


def _stands(mark: Mark, at: int, letters: Letters, text: str) -> bool:
    if not letters.folded.startswith(mark.letters, at) or (
        mark.capital and not letters.capital[at]
    ):
        return False
    places = range(at, at + len(mark.letters) - 1)
    gaps = [
        text[letters.ends[i] : letters.starts[i + 1]]
        for i in places
        if letters.starts[i + 1] > letters.ends[i]
    ]
    if not gaps:
        return True
    if mark.kind == "word":
        return len(gaps) == len(mark.letters) - 1 and all(len(gap) <= APART["word"] for gap in gaps)
    if mark.kind == "handle":
        return all(len(gap) <= APART["handle"] and not any(map(str.isspace, gap)) for gap in gaps)
    return all(len(gap) <= APART["phrase"] for gap in gaps)


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where several overlap or touch, one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined
