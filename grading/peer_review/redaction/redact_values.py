"""Redaction of people in any JSON value: strings, keys and paths."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from grading.peer_review.redaction.contact_patterns import without_contacts
from grading.peer_review.redaction.identity_marks import MIN_INSIDE_WORD, Identity, Mark, marks_of
from grading.peer_review.redaction.letter_positions import Letters, letters_of

WITHHELD = "[withheld]"
PREFIX_LENGTH = 2
# Characters allowed between two letters of a mark.
# One sign spells out a word (a-d-a), two join a handle (ada__love), four part a full name.
MAX_GAP = {"word": 1, "handle": 2, "phrase": 4}
# A word that the end of a line divides, as PDFs have them.
_DIVISION = re.compile(r"[-\u2010] ?\r?\n[ \t]{0,8}")
# Keys of JSON whose values name people.
# Withheld whatever they say: other programs write names here that no roster has.
_NAMING_KEY = re.compile(
    r"(?:author|auditor|auditee|committer|contributor|maintainer|reviewer|student|peer)s?"
    r"(?:_?(?:name|id|number|e?mail))?"
    r"|(?:full|first|last|user)_?names?|e?_?mails?(?:_?address(?:es)?)?"
    r"|login|(?:repo_?)?owner|github|team_?members?"
    r"|(?:submitted|prepared|generated|audited|created|written)_by",
    re.IGNORECASE,
)


def redacted(value: Any, identity: Identity) -> Any:
    """Return the same JSON with the people of `identity` and all contacts replaced by WITHHELD.

    Numbers, truth values and the shape stay; keys that become equal are numbered.
    """
    if isinstance(value, str):
        return _redact_people(without_contacts(value, WITHHELD), identity)
    if isinstance(value, dict):
        return _redact_dict(value, identity)
    if isinstance(value, list | tuple):
        return [redacted(item, identity) for item in value]
    return value


def _redact_dict(pairs: dict[str, Any], identity: Identity) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in pairs.items():
        new_key, number = redacted(key, identity), 2
        # Two people as keys both become WITHHELD: the number keeps both entries.
        while new_key in kept:
            new_key, number = f"{redacted(key, identity)} {number}", number + 1
        kept[new_key] = (
            _withhold_all(value) if _NAMING_KEY.fullmatch(key) else redacted(value, identity)
        )
    return kept


def _withhold_all(value: Any) -> Any:
    """Return a value of the same type with all its contents withheld."""
    if isinstance(value, str):
        return WITHHELD if value else ""
    if isinstance(value, dict):
        return {WITHHELD: WITHHELD} if value else {}
    return [WITHHELD] if isinstance(value, list | tuple) and value else value


def _redact_people(text: str, identity: Identity) -> str:
    spans = _merge_spans(sorted(_find_spans(text, _mark_index(identity))))
    # Joined once: cutting a long text at each of many spans would copy it each time.
    kept_from = [0, *(end for _start, end in spans)]
    kept_to = [*(start for start, _end in spans), len(text)]
    return WITHHELD.join(text[start:end] for start, end in zip(kept_from, kept_to, strict=True))


@dataclass(frozen=True, slots=True)
class _MarkIndex:
    """Marks by their first letters: at the beginning of words, and anywhere inside them."""

    at_words: dict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))
    anywhere: dict[str, list[Mark]] = field(default_factory=lambda: defaultdict(list))


@lru_cache(maxsize=8)
def _mark_index(identity: Identity) -> _MarkIndex:
    index = _MarkIndex()
    for mark in marks_of(identity):
        index.at_words[mark.letters[:PREFIX_LENGTH]].append(mark)
        # A common word inside a longer one is no name.
        if len(mark.letters) >= MIN_INSIDE_WORD and not mark.capital:
            index.anywhere[mark.letters[:MIN_INSIDE_WORD]].append(mark)
    return index


def _find_spans(text: str, index: _MarkIndex) -> Iterator[tuple[int, int]]:
    letters = letters_of(text)
    folded, at_words, anywhere = letters.folded, index.at_words, index.anywhere
    for at, begins in enumerate(letters.begins):
        if begins:
            # A name of one character (王) is kept under it alone.
            single = at_words.get(folded[at], ()) if not folded[at].isascii() else ()
            for mark in (*at_words.get(folded[at : at + PREFIX_LENGTH], ()), *single):
                if _matches(mark, at, letters, text) and letters.closes[at + len(mark.letters) - 1]:
                    yield letters.starts[at], letters.ends[at + len(mark.letters) - 1]
                    break
        for mark in anywhere.get(folded[at : at + MIN_INSIDE_WORD], ()):
            if _matches(mark, at, letters, text):
                yield letters.starts[at], letters.ends[at + len(mark.letters) - 1]
                break


def _matches(mark: Mark, at: int, letters: Letters, text: str) -> bool:
    if not letters.folded.startswith(mark.letters, at) or (
        mark.capital and not letters.capital[at]
    ):
        return False

    if len(mark.letters) == 1 and not _stands_alone(text, letters.starts[at], letters.ends[at]):
        return False

    places = range(at, at + len(mark.letters) - 1)
    gaps = [
        text[letters.ends[i] : letters.starts[i + 1]]
        for i in places
        if letters.starts[i + 1] > letters.ends[i]
    ]
    if all(map(_DIVISION.fullmatch, gaps)):
        return True
    if mark.kind == "word":
        # A word counts if it is spelled out: a gap between any two letters.
        return len(gaps) == len(mark.letters) - 1 and all(
            len(gap) <= MAX_GAP["word"] for gap in gaps
        )
    if mark.kind == "handle":
        return all(len(gap) <= MAX_GAP["handle"] and not any(map(str.isspace, gap)) for gap in gaps)
    return all(len(gap) <= MAX_GAP["phrase"] for gap in gaps)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return True if no letter is beside the span: inside other words one character is no name."""
    return not (text[max(start - 1, 0) : start].isalnum() or text[end : end + 1].isalnum())


def _merge_spans(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge spans that overlap or touch."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
