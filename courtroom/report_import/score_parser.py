"""Scores as people write them: 4/5, 60 / 80 points, 21 of 35, 68 %, 3,4, four stars, or a level's name."""

from __future__ import annotations

import math
import re

from courtroom.report_import.imported_report import ImportedScore

MOST = 1_000_000
LONGEST_LEVEL = 60
# Only so much of a text is searched: a score stands at its beginning.
SEARCHED = 300
_NUMBER = r"\d{1,7}(?:[.,]\d{1,6})?"
_OF = r"\s?(?:/|\u2044|out of\b|of\b)\s?"
_FRACTION = re.compile(
    rf"(?<![\w.,/:-])({_NUMBER}){_OF}({_NUMBER})(?![\w/]|[.,]\d)(?:\s?(?:points?|pts)\b)?",
    re.IGNORECASE,
)
_PERCENT = re.compile(rf"(?<![\w.,/-])({_NUMBER})\s?%")
_POINTS = re.compile(rf"(?<![\w.,/-])({_NUMBER})\s?(?:points?|pts|stars?)\b", re.IGNORECASE)
_ALONE = re.compile(rf"[\W_]*({_NUMBER})(?=\s*(?:$|[;|(\[)\]]|[,.:—\u2013-](?:\s|$)))")
_LABEL = re.compile(
    r"[\W_]*(?:final |judge |overall )?(?:score|verdict|rating|points|grade)\b(?: \(score\))?[\s:=*`(]{0,6}",
    re.IGNORECASE,
)
_FIRST = re.compile(rf"({_NUMBER})(?![\w/]|[.,]\d)")
_STARS = re.compile(r"([★⭐]{1,10})([☆✩]{0,10})")
_LETTER = re.compile(r"[^\W\d_]")
_NOTHING = re.compile(
    r"[\W_]*(?:n/?a|none|null|nil|not (?:applicable|assess\w+|available|scored|given|rated|judged)|unknown|pending|tbd"
    r"|no (?:score|verdict|rating|data)|needs (?:a )?(?:human )?review|unscored|excluded\b.{0,40})?[\W_]*(?:\(.{0,80}\))?",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(r"\bno exchange\b|\bexcluded\b", re.IGNORECASE)


def score_in(text: str) -> ImportedScore | None:
    """The score that a text is meant to be: with its maximum if one is named, else a number, else a level's name.

    Null where there is none, or what is written says so itself.
    """
    searched = text[:SEARCHED]
    return marked_score_in(searched) or _lone_number(searched) or _level(text)


def marked_score_in(text: str) -> ImportedScore | None:
    """A score that shows itself to be one anywhere in a text: 4/5, 80 %, 12 points, four stars."""
    searched = text[:SEARCHED]
    if match := _FRACTION.search(searched):
        return _score(match[0], match[1], match[2])
    if match := _PERCENT.search(searched):
        return _score(match[0], match[1], "100")
    if match := _POINTS.search(searched):
        return _score(match[0], match[1])
    match = _STARS.search(searched)
    if match and (len(match[1]) > 1 or match[2]):
        most = len(match[0]) if match[2] else None
        return ImportedScore(value=len(match[1]), maximum=most, written=match[0])
    return None


def leading_score_in(text: str) -> tuple[ImportedScore | None, str]:
    """The score that a text begins with, and the words that follow it."""
    named = _LABEL.match(text)
    start = named.end() if named else 0
    searched = text[start : start + SEARCHED]
    for pattern in (_FRACTION, _PERCENT, _POINTS, _FIRST if named else _ALONE):
        match = pattern.search(searched)
        if match and match.start() <= 3 and not _LETTER.search(searched[: match.start()]):
            most = match[2] if pattern is _FRACTION else "100" if pattern is _PERCENT else None
            written = match[0] if most or pattern is _POINTS else match[1]
            return _score(written, match[1], most), text[start + match.end() :]
    return None, text


def closing_score_in(text: str) -> ImportedScore | None:
    """A score in parentheses at the very end, as in: Too few commits. (Score: 2)"""
    opened = text.rfind("(")
    if opened < 0 or not text.rstrip(" .*").endswith(")") or not _LABEL.match(text, opened + 1):
        return None
    return leading_score_in(text[opened + 1 :].rstrip(" .*)"))[0]


def without_score(level: str) -> str:
    """A level's name without the points behind it, as in: Partial, 21 of 35 points."""
    score = marked_score_in(level)
    return (
        level.partition(score.written)[0].rstrip(" ,;:(")
        if score and score.value is not None
        else level
    )


def excludes(text: str) -> bool:
    """Whether the words say that a criterion is left out of the sum."""
    return _EXCLUDED.search(text[:SEARCHED]) is not None


def is_none(text: str) -> bool:
    """Whether the words say that there is no score: n/a, not assessed, needs review, excluded."""
    return bool(text.strip()) and _NOTHING.fullmatch(text[:SEARCHED]) is not None


def number_of(said: object) -> float | None:
    """A finite number of a reasonable size, from JSON; true and false are none, nor is anything below zero."""
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return float(said) if math.isfinite(said) and 0 <= said <= MOST else None


def _lone_number(text: str) -> ImportedScore | None:
    named = _LABEL.match(text)
    match = _FIRST.match(text, named.end()) if named else _ALONE.match(text)
    return _score(match[1], match[1]) if match else None


def _level(text: str) -> ImportedScore | None:
    name = text.strip(" \t*_`|.:;,—\u2013-")
    if (
        not name
        or len(name) > LONGEST_LEVEL
        or _NOTHING.fullmatch(name)
        or not _LETTER.search(name)
    ):
        return None
    return ImportedScore(level=name, written=name)


def _score(written: str, value: str, most: str | None = None) -> ImportedScore | None:
    number, maximum = (float(part.replace(",", ".")) if part else None for part in (value, most))
    if number is None or number > MOST or maximum == 0:
        return None
    return ImportedScore(
        value=number, maximum=maximum, written=" ".join(written.split()).strip(" .,;:()[]")
    )
