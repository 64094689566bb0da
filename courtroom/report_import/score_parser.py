"""Parser for scores as people write them.

As in: 4/5, 60 / 80 points, 21 of 35, 68 %, 3,4, four stars, or a level's name.
"""

from __future__ import annotations

import math
import re

from courtroom.report_import.imported_report import ImportedScore

LARGEST_NUMBER = 1_000_000
LONGEST_LEVEL = 60
# Words of a verdict before its score.
MOST_VERDICT_WORDS = 3
# Only so much of a text is searched: a score stands at its beginning.
SEARCHED = 300
_NUMBER = r"\d{1,7}(?:[.,]\d{1,6})?"
_OF = r"\s?(?:/|\u2044|out of\b|of\b)\s?"
# The guards on both sides keep dates, versions and paths from being scores.
_FRACTION = re.compile(
    rf"(?<![\w.,/:-])({_NUMBER}){_OF}({_NUMBER})(?![\w/]|[.,]\d)(?:\s?(?:points?|pts)\b)?",
    re.IGNORECASE,
)
_PERCENT = re.compile(rf"(?<![\w.,/-])({_NUMBER})\s?%")
_POINTS = re.compile(rf"(?<![\w.,/-])({_NUMBER})\s?(?:points?|pts|stars?)\b", re.IGNORECASE)
_ALONE = re.compile(rf"[\W_]*({_NUMBER})(?=\s*(?:$|[;|(\[)\]]|[,.:—\u2013-](?:\s|$)))")
_LABEL = re.compile(
    r"[\W_]*(?:final |judge |overall )?(?:score|verdict|rating|points|grade)\b"
    r"(?: \(score\))?[\s:=*`(]{0,6}",
    re.IGNORECASE,
)
_AFTER_LABEL = re.compile(rf"({_NUMBER})(?![\w/]|[.,]\d)")
_STARS = re.compile(r"([★⭐]{1,10})([☆✩]{0,10})")
_LETTER = re.compile(r"[^\W\d_]")
# Words, and the sign of a limit: “score ≥ 4” is none.
_NO_LEAD = re.compile(r"[^\W\d_]|[<>≤≥]")
_NO_SCORE = re.compile(
    r"[\W_]*(?:(?:n/?a|none|null|nil"
    r"|not (?:applicable|assess\w+|available|scored|given|rated|judged)|unknown|pending|tbd"
    r"|no (?:score|verdict|rating|data)|needs (?:a )?(?:human )?review|unscored|excluded\b.{0,40})"
    r"[\W_]*)?(?:\(.{0,80}\))?",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(r"\bno exchange\b|\bexcluded\b", re.IGNORECASE)


def parse_score(text: str) -> ImportedScore | None:
    """Return the score that a text is meant to be.

    A score with its maximum counts first, then a number, then a level's name. Null where there is
    none, and where the text says so itself.
    """
    searched = text[:SEARCHED]
    return find_marked_score(searched) or _lone_number(searched) or _level(text)


def find_marked_score(text: str) -> ImportedScore | None:
    """Return a score recognizable anywhere in a text: 4/5, 80 %, 12 points, four stars."""
    searched = text[:SEARCHED]
    if match := _FRACTION.search(searched):
        return _score(match[0], match[1], match[2])
    if match := _PERCENT.search(searched):
        return _score(match[0], match[1], "100")
    if match := _POINTS.search(searched):
        return _score(match[0], match[1])

    # A single star is more often an ornament than a score.
    match = _STARS.search(searched)
    if match and (len(match[1]) > 1 or match[2]):
        maximum = len(match[0]) if match[2] else None
        return ImportedScore(value=len(match[1]), maximum=maximum, written=match[0])
    return None


def split_leading_score(text: str) -> tuple[ImportedScore | None, str]:
    """Return the score that a text begins with, and the words that follow it."""
    label = _LABEL.match(text)
    start = label.end() if label else 0
    searched = text[start : start + SEARCHED]

    for pattern in (_FRACTION, _PERCENT, _POINTS, _AFTER_LABEL if label else _ALONE):
        match = pattern.search(searched)
        if match and match.start() <= 3 and not _NO_LEAD.search(searched[: match.start()]):
            maximum = match[2] if pattern is _FRACTION else "100" if pattern is _PERCENT else None
            written = match[0] if maximum or pattern is _POINTS else match[1]
            return _score(written, match[1], maximum), text[start + match.end() :]
    return None, text


def parse_closing_score(text: str) -> ImportedScore | None:
    """Return a score in parentheses at the very end, as in: Too few commits. (Score: 2)

    Without a label it follows a verdict of a few words: Partial (3/5).
    """
    opening = text.rfind("(")
    is_closing = opening >= 0 and text.rstrip(" .*").endswith(")")
    if not is_closing:
        return None
    is_bare = 1 <= len(text[:opening].split()) <= MOST_VERDICT_WORDS
    inside = text[opening + 1 :].rstrip(" .*)")
    if not _LABEL.match(text, opening + 1) and not (is_bare and _FRACTION.fullmatch(inside)):
        return None
    return split_leading_score(text[opening + 1 :].rstrip(" .*)"))[0]


def strip_score(level: str) -> str:
    """Return a level's name without the points behind it, as in: Partial, 21 of 35 points."""
    score = find_marked_score(level)
    if score is None or score.value is None:
        return level
    return level.partition(score.written)[0].rstrip(" ,;:(")


def says_excluded(text: str) -> bool:
    """Return true for words that exclude a criterion from the total."""
    return _EXCLUDED.search(text[:SEARCHED]) is not None


def says_no_score(text: str) -> bool:
    """Return true for words in place of a score: n/a, not assessed, needs review, excluded."""
    return bool(text.strip()) and _NO_SCORE.fullmatch(text[:SEARCHED]) is not None


def as_number(value: object) -> float | None:
    """Return a finite number from JSON between 0 and LARGEST_NUMBER, else null.

    true and false are not numbers here.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 <= value <= LARGEST_NUMBER else None


def _lone_number(text: str) -> ImportedScore | None:
    label = _LABEL.match(text)
    match = _AFTER_LABEL.match(text, label.end()) if label else _ALONE.match(text)
    return _score(match[1], match[1]) if match else None


def _level(text: str) -> ImportedScore | None:
    name = text.strip(" \t*_`|.:;,—\u2013-")
    is_level = 0 < len(name) <= LONGEST_LEVEL and _LETTER.search(name) is not None
    if not is_level or _NO_SCORE.fullmatch(name):
        return None
    return ImportedScore(level=name, written=name)


def _score(written: str, value: str, maximum: str | None = None) -> ImportedScore | None:
    # A comma is the decimal point of many languages.
    number = float(value.replace(",", "."))
    scale = float(maximum.replace(",", ".")) if maximum else None
    if number > LARGEST_NUMBER or scale == 0:
        return None

    cleaned = " ".join(written.split()).strip(" .,;:()[]")
    return ImportedScore(value=number, maximum=scale, written=cleaned)
