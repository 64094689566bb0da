"""One line as a statement: who or what it is about, the score it names, and what it says.

As in `Prosecutor (Score: 2/5): Too few commits`, `Final Score: 4/5`, `Git History — 4/5`, `Level: Absent | Points: 0`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from courtroom.models.record import Persona
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.name_cleaning import LONGEST_NAME, judge_in, plain_key, split_id
from courtroom.report_import.score_parser import (
    closing_score_in,
    is_none,
    leading_score_in,
    marked_score_in,
)

SEARCHED = 200
_SEPARATOR = re.compile(r":(?!//)(?=\s|$|[*`\d(])|\s[—\u2013-]{1,2}\s|—|\s=>\s|\s→\s")
_EQUALS = re.compile(r"([A-Za-z][A-Za-z ]{1,30})\s?=\s?(?=\d)")
_PARENTHESIS = re.compile(r"[(\[]([^()\[\]]{0,120})[)\]]")
_SCORE_WORDS = re.compile(r"[\s,:*(]*\b(?:final )?(?:score|points|verdict)[\s:*)]*$", re.IGNORECASE)
_ARGUMENT = re.compile(r"(?:argument|reasoning|rationale|opinion)\s?[:=]\s?", re.IGNORECASE)
_PARTS = re.compile(r"\s?[|;·,]\s")
_TYPE = re.compile(
    r"(?:str|int|float|bool|list|dict|tuple|set|Optional|List|Dict|Literal|Annotated|Any|None)\b\s*(?:[\[=|,#(]|$)"
)
_SEGMENT = re.compile(r"\s[—\u2013|·•;]\s|\s-\s|;\s")


@dataclass(frozen=True)
class Statement:
    """`head` is what stands before the colon or dash, without a score; `rest` what stands behind it.

    `is_split` is false where neither stands there: then `head` is the beginning of the text.
    """

    head: str
    score: ImportedScore | None
    rest: str
    is_split: bool

    @cached_property
    def key(self) -> str:
        return plain_key(self.head)

    @cached_property
    def judge(self) -> Persona | str | None:
        """The judge this is about; a judge and more words are only one where an underscore joins them."""
        return judge_in(self.head)[0] if not self.topic else None

    @property
    def is_code(self) -> bool:
        """A field of a class that was pasted as evidence, such as: score: int = Field(ge=1, le=5)."""
        return _TYPE.match(self.rest) is not None

    @cached_property
    def topic(self) -> str:
        """What the head names beside a judge."""
        return judge_in(self.head)[1]


def statement_in(text: str) -> Statement:
    """Take a line apart. The head loses parentheses that hold nothing but a score."""
    at, end = _separator_in(text)
    if plain_key(text[:at]) in ("judge", "persona") and text[end:].strip():
        text = text[end:].strip()
        at, end = _separator_in(text)
    head, rest = text[:at], text[end:].strip()
    head, score = _without_score(head)
    return Statement(head=head.strip(" *`:,—\u2013-"), score=score, rest=rest, is_split=end > at)


def _separator_in(text: str) -> tuple[int, int]:
    """Where the head ends and the rest begins: the first colon or dash outside parentheses."""
    searched = text[:SEARCHED]
    if match := _EQUALS.match(searched):
        return match.end(1), match.end()
    for match in _SEPARATOR.finditer(searched):
        before = searched[: match.start()]
        if before.count("(") <= before.count(")") and before.count("[") <= before.count("]"):
            return match.span()
    return min(len(text), LONGEST_NAME), min(len(text), LONGEST_NAME)


def _without_score(head: str) -> tuple[str, ImportedScore | None]:
    for match in _PARENTHESIS.finditer(head):
        score, rest = leading_score_in(match[1])
        if score and not rest.strip(" .,%").isalpha():
            return head[: match.start()] + head[match.end() :], score
    score = marked_score_in(head)
    if score and score.written in head:
        before, _, after = head.partition(score.written)
        return _SCORE_WORDS.sub("", before) + after, score
    return head, None


@dataclass(frozen=True, slots=True)
class Title:
    """A heading: the name it gives, the id beside the name, and the score, or that there is none."""

    name: str
    id: str | None
    score: ImportedScore | None
    is_unscored: bool = False


def title_in(text: str) -> Title:
    """A heading's name without the score, in whatever form the score stands beside it."""
    words, identity = split_id(text)
    statement = statement_in(words)
    name, score = statement.head, statement.score
    if score is None and is_none(statement.rest):
        return Title(name=name, id=identity, score=None, is_unscored=True)
    if score is None and statement.is_split:
        score, left = leading_score_in(statement.rest)
        if score is None or _is_wordy(left):
            name, score = words, None
    return Title(name=_SCORE_WORDS.sub("", name).strip(), id=identity, score=score)


def _is_wordy(left: str) -> bool:
    return len(left.split()) > 6


def segments_of(text: str) -> list[str]:
    """The statements that stand on one line, parted by dashes, bars or semicolons."""
    return [part.strip() for part in _SEGMENT.split(text) if part.strip()]


def bench_in(text: str) -> list[tuple[Persona | str, ImportedScore]]:
    """All judges with their scores on one line, as in: Prosecutor: 1 | Defense: 3 | Tech Lead: 2."""
    parts = [part for part in _PARTS.split(text[: 2 * SEARCHED]) if part.strip()]
    said = [(each.judge, *judge_and_score(each)) for each in map(statement_in, parts)]
    told = [
        (judge, score) for judge, score, rest in said if judge and score and not rest.strip(" .")
    ]
    return told if len(told) > 1 and len(told) == len(parts) else []


def judge_and_score(statement: Statement) -> tuple[ImportedScore | None, str]:
    """A judge's score and argument, wherever on the line the score stands."""
    if statement.score:
        return statement.score, statement.rest
    score, argument = leading_score_in(statement.rest)
    if score:
        return score, _ARGUMENT.sub("", argument.lstrip(" .,;:)]—\u2013-|"), count=1)
    return closing_score_in(statement.rest), statement.rest
