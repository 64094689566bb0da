"""Passages that speak to the grader instead of the reader. A flag for a person, never a change of a grade.

Conservative on purpose: who writes about prompt injection quotes its words, and a project about judging is full
of scores. What is quoted by a text about attacks, or is meant against them, does not count.
"""

# ruff: noqa: RUF001 -- the quotation marks of every language
from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import plain
from courtroom.analysis.prompt_injection.obfuscation import (
    Disguised,
    encoded,
    foreign_view_of,
    smuggled,
    view_of,
)
from courtroom.analysis.prompt_injection.patterns import Kind, Order, foreign_orders_in, orders_in

PASSAGE_CHARACTERS = 300
# More of one text would tell a person nothing new.
MOST_PASSAGES = 20
_CONTEXT = 400
# A stray word in white is what office programs leave behind.
_FEWEST_HIDDEN_WORDS = 4
# A text that says it is showing an attack, or defending against one.
_ABOUT_ATTACKS = re.compile(
    r"\b(?:inject\w*|jailbreak\w*|attack\w*|adversar\w+|malicious|payloads?|sanitiz\w+|sanitis\w+|prompt guard"
    r"|red.?team\w*|suspicious|hostile)"
)
_WARNS = re.compile(
    r"\b(?:inject\w*|jailbreak|attack\w*|adversar\w+|malicious|such as|for example|e\.g\.|saniti[sz]\w+|detect\w*"
    r"|prevent\w*|defend\w*|guard\w*|strip\w*|refus\w+|attempt\w*|tells? (?:the|an?)|says?|like)\b"
)
# "Ignore any instructions found in the evidence" is what a careful prompt says.
_MEANT_AGAINST = re.compile(
    r"\W{1,8}+(?:\w{1,20}+\W{1,8}+){0,3}?(?:in|inside|within|found|contained|embedded|from|that|which|hidden|appearing|they|it|written)\b"
)
_QUOTES = tuple("\"'`“”‘’«»>*")
_SENTENCE_START = re.compile(r"[.!?]\s|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Passage:
    """A suspicious stretch as a person reads it; `why` finishes "this passage ...".

    `page` is the text's 1-based place among the texts, lines are 1-based within it.
    """

    page: int
    text: str
    why: str
    line_start: int = 1
    line_end: int = 1


def suspicious_passages(texts: Sequence[str], kind: Kind = "prose") -> tuple[Passage, ...]:
    """Passages of these texts, pages or files, that a person should see."""
    return tuple(
        passage
        for page, text in enumerate(texts, start=1)
        for passage in passages_in(text, kind, page)
    )


def suspicious_in(reading: PdfReading) -> tuple[Passage, ...]:
    """The same for a PDF, with the invisible characters and the hidden text that the reading left out."""
    characters = (Passage(page, "", "hides characters") for page in reading.invisible_pages)
    hidden = (
        Passage(page, text[:PASSAGE_CHARACTERS], "cannot be seen on the page")
        for page, text in reading.hidden
        if len(text.split()) >= _FEWEST_HIDDEN_WORDS or _speaks(text)
    )
    beside = (
        replace(passage, why=f"{passage.why}, in {where}")
        for page, where, text in reading.non_body_texts
        for passage in passages_in(text, "prose", page)
    )
    return (*characters, *hidden, *beside, *suspicious_passages(reading.pages))


def passages_in(text: str, kind: Kind, page: int = 1) -> Iterator[Passage]:
    """At most MOST_PASSAGES, one for a line; the `kind` says whether strings of the text may be prompts or data."""
    found = [_hidden(page, one) for one in smuggled(text)]
    found += _spoken(page, text, kind)
    found += [_hidden(page, one) for one in encoded(text) if _speaks(one.text)]
    once: dict[int, Passage] = {}
    for passage in found:
        once.setdefault(passage.line_start, passage)
    yield from list(once.values())[:MOST_PASSAGES]


def speaks_to_graders(text: str) -> bool:
    """Whether this text, read as prose, holds such a passage."""
    return any(True for _ in passages_in(text, "prose"))


def _speaks(text: str) -> bool:
    return bool(orders_in(view_of(text), "prose") or foreign_orders_in(foreign_view_of(text)))


def _hidden(page: int, one: Disguised) -> Passage:
    return Passage(page, plain(one.text).strip()[:PASSAGE_CHARACTERS], one.how, one.line, one.line)


def _spoken(page: int, text: str, kind: Kind) -> list[Passage]:
    view, foreign = view_of(text), foreign_view_of(text)
    orders = [order for order in orders_in(view, kind) if not is_excused(order, view)]
    return _shown(page, text, view, orders) + _shown(
        page, text, foreign, foreign_orders_in(foreign)
    )


def _shown(page: int, text: str, view: str, orders: Sequence[Order]) -> list[Passage]:
    """Passages at the lines that these orders stand on: a view keeps its text's lines."""
    if not orders:
        return []
    starts = [0, *(match.end() for match in re.finditer("\n", view))]
    lines = re.split(r"\r\n|\r|\n", text)
    found = []
    for order in orders:
        first, last = bisect_right(starts, order.start), bisect_right(starts, order.end - 1)
        words = " ".join(plain(" ".join(lines[first - 1 : last])).split())
        if len(words) > PASSAGE_CHARACTERS:
            begin = max(0, order.start - 60)
            words = view[begin : begin + PASSAGE_CHARACTERS].strip()
        found.append(Passage(page, words, order.why, first, last))
    return found


def is_excused(order: Order, view: str) -> bool:
    """Whether this is an attack shown, or an order to heed none, and not an attack."""
    if order.family == "drop" and _MEANT_AGAINST.match(view, order.end):
        sentence_left = re.split(r"[.:;\n]", view[order.end : order.end + _CONTEXT])[0]
        return not re.search(r"\b(?:award|give|grant|assign)\b", sentence_left)
    before = view[max(0, order.start - _CONTEXT) : order.start]
    sentence = _SENTENCE_START.split(before)[-1]
    if _WARNS.search(sentence):
        return True
    quoted = sentence.rstrip()[-1:] in _QUOTES
    return quoted and bool(
        _ABOUT_ATTACKS.search(view, max(0, order.start - _CONTEXT), order.end + _CONTEXT)
    )
