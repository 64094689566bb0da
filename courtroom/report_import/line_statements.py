"""Parser of one line as a statement: its subject, the score it names, and the words behind.

As in `Prosecutor (Score: 2/5): Too few commits`, `Final Score: 4/5`, `Git History — 4/5`,
`Level: Absent | Points: 0`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from courtroom.models.judge_answer import Persona
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.name_cleaning import LONGEST_NAME, normalize, parse_judge, split_id
from courtroom.report_import.score_parser import (
    find_marked_score,
    parse_closing_score,
    says_no_score,
    split_leading_score,
)

SEARCHED = 200
# More words than this behind a score make a sentence about it, not a heading with a score.
MOST_WORDS_BEHIND_SCORE = 6
# A colon that is no address and no time, or a dash or arrow between blanks.
_SEPARATOR = re.compile(r":(?!//)(?=\s|$|[*`\d(])|\s[—\u2013-]{1,2}\s|—|\s=>\s|\s→\s")
_EQUALS = re.compile(r"([A-Za-z][A-Za-z ]{1,30})\s?=\s?(?=\d)")
_PARENTHESIS = re.compile(r"[(\[]([^()\[\]]{0,120})[)\]]")
_SCORE_WORDS = re.compile(
    r"(?<![\s,:*(])[\s,:*(]*+\b(?:final )?(?:score|points|verdict)[\s:*)]*+$", re.IGNORECASE
)
_ARGUMENT = re.compile(r"(?:argument|reasoning|rationale|opinion)\s?[:=]\s?", re.IGNORECASE)
_PARTS = re.compile(r"\s?[|;·,]\s")
_TYPE = re.compile(
    r"(?:str|int|float|bool|list|dict|tuple|set|Optional|List|Dict|Literal|Annotated|Any|None)\b"
    r"\s*(?:[\[=|,#(]|$)"
)
# What stands behind a judge's name in place of a score: `Prosecutor (Verdict: PASS | Confidence: 92%)`.
_VOTE = re.compile(
    r"\((?:verdict|vote|ruling|stance|position|confidence)\b[^()]{0,80}\)[\s*:]{0,4}$",
    re.IGNORECASE,
)
_SEGMENT = re.compile(r"\s[—\u2013|·•;]\s|\s-\s|;\s")


@dataclass(frozen=True)
class Statement:
    """Frozen parts of a line: `head` before the colon or dash, without a score; `rest` behind it.

    `is_split` is false where there is no colon or dash: then `head` is the beginning of the text.
    """

    head: str
    score: ImportedScore | None
    rest: str
    is_split: bool

    @cached_property
    def key(self) -> str:
        """Head as plain words."""
        return normalize(self.head)

    @cached_property
    def judge(self) -> Persona | str | None:
        """Judge that the head names alone, else null."""
        return parse_judge(self.head)[0] if not self.topic else None

    @property
    def is_code(self) -> bool:
        """True for a field of a class pasted as evidence: `score: int = Field(ge=1, le=5)`."""
        return _TYPE.match(self.rest) is not None

    @cached_property
    def topic(self) -> str:
        """Words of the head beside a judge's name."""
        return parse_judge(self.head)[1]


def parse_statement(text: str) -> Statement:
    """Split a line. The head loses parentheses that contain only a score."""
    vote = _VOTE.search(text) if len(text) <= SEARCHED else None
    if vote and parse_judge(text[: vote.start()]) != (None, ""):
        return Statement(text[: vote.start()].strip(" *`:"), None, "", is_split=True)
    end, start = _separator_span(text)

    # `Judge: Prosecutor (3/5)` is about the judge it names.
    if normalize(text[:end]) in ("judge", "persona") and text[start:].strip():
        text = text[start:].strip()
        end, start = _separator_span(text)

    head, score = _without_score(text[:end])
    return Statement(
        head=head.strip(" *`:,—\u2013-"),
        score=score,
        rest=text[start:].strip(),
        is_split=start > end,
    )


def _separator_span(text: str) -> tuple[int, int]:
    """Return the end of the head and the start of the rest.

    The first colon or dash outside parentheses parts them.
    """
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
        score, rest = split_leading_score(match[1])
        if score and not rest.strip(" .,%").isalpha():
            return head[: match.start()] + head[match.end() :], score

    score = find_marked_score(head)
    if score and score.written in head:
        before, _, after = head.partition(score.written)
        return _SCORE_WORDS.sub("", before) + after, score
    return head, None


@dataclass(frozen=True, slots=True)
class Title:
    """Frozen parts of a heading: name, id, and score; `is_unscored` if it says it has none."""

    name: str
    id: str | None
    score: ImportedScore | None
    is_unscored: bool = False


def parse_title(text: str) -> Title:
    """Split a heading into its name and its score, in any form the score has beside it."""
    words, identity = split_id(text)
    statement = parse_statement(words)
    name, score = statement.head, statement.score

    if score is None and says_no_score(statement.rest):
        return Title(name=name, id=identity, score=None, is_unscored=True)
    if score is None and statement.is_split:
        score, rest = split_leading_score(statement.rest)
        if score is None or len(rest.split()) > MOST_WORDS_BEHIND_SCORE:
            name, score = words, None
    return Title(name=_SCORE_WORDS.sub("", name).strip(), id=identity, score=score)


def split_segments(text: str) -> list[str]:
    """Return the statements of one line that dashes, bars or semicolons separate."""
    return [part.strip() for part in _SEGMENT.split(text) if part.strip()]


def parse_bench(text: str) -> list[tuple[Persona | str, ImportedScore]]:
    """Return all judges with their scores from one line; empty for any other line.

    As in: Prosecutor: 1 | Defense: 3 | Tech Lead: 2.
    """
    parts = [part for part in _PARTS.split(text[: 2 * SEARCHED]) if part.strip()]
    statements = [parse_statement(part) for part in parts]
    triples = [(statement.judge, *score_and_argument(statement)) for statement in statements]
    bench = [
        (judge, score) for judge, score, rest in triples if judge and score and not rest.strip(" .")
    ]
    return bench if len(bench) > 1 and len(bench) == len(parts) else []


def score_and_argument(statement: Statement) -> tuple[ImportedScore | None, str]:
    """Return a judge's score and argument, wherever on the line the score is."""
    if statement.score:
        return statement.score, statement.rest

    score, argument = split_leading_score(statement.rest)
    if score:
        return score, _ARGUMENT.sub("", argument.lstrip(" .,;:)]—\u2013-|"), count=1)
    return parse_closing_score(statement.rest), statement.rest
