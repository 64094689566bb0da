"""Committed audits that the code of the audited commit could not have written as they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from courtroom.analysis.langgraph.state_flow.flow_fault import joined
from courtroom.analysis.project.dissent_opinions import opinions_of

if TYPE_CHECKING:
    from courtroom.analysis.langgraph.score_ranges import ScoreRange
    from courtroom.analysis.project.own_audits import AuditReading

# One heading may come from a name that only a run knows.
LEAST_HEADINGS = 2
MOST_QUOTED = 3
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
# Further lines that begin with one mark may be comments of code that is quoted without a fence.
_HEADING = re.compile(r"\A# ([^\n]{3,80})$|^## ([^\n]{3,80})$", re.MULTILINE)
# What a run fills in stands behind these, or is code or an address.
_FILLED = re.compile(r"[:(`\u2014\u2013|]|\d|https?\b|\s-\s")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class WritingCode:
    """Bounds and texts of the code that writes audits.

    `highest` is the range of each persona whose score the code keeps at its bound or below in every
    case. `texts` returns the texts of code, templates and prompts; it is None where a model
    may write headings.
    """

    highest: Mapping[str, ScoreRange]
    texts: Callable[[], Sequence[str]] | None


def unwritable(readings: Sequence[AuditReading], code: WritingCode) -> dict[str, str]:
    """Return path to a sentence on why the code could not have written an audit as it stands."""
    texts = ""
    sentences: dict[str, str] = {}
    for reading in readings:
        why = _above(reading, code.highest)
        if not why and code.texts and (headings := _headings(reading)):
            texts = texts or " | ".join(map(_plain, code.texts()))
            missing = [title for title in dict.fromkeys(headings) if _plain(title) not in texts]
            why = _not_in_code(missing) if len(missing) >= LEAST_HEADINGS else ""
        if why:
            sentences[reading.path] = (
                f"The code of this commit could not have written {reading.path} as it stands:"
                f" {why}."
            )
    return sentences


def _above(reading: AuditReading, highest: Mapping[str, ScoreRange]) -> str:
    """Return words on the first persona with scores that the code does not let it give."""
    for persona, kept in highest.items():
        scores = [
            opinion.score.value
            for criterion in reading.report.criteria
            for opinion in criterion.opinions
            if str(opinion.judge) == persona and opinion.score and opinion.score.value is not None
            if opinion.score.maximum in (None, 5)
        ]
        above = [score for score in scores if score > kept.high]
        if above:
            return (
                f"the code keeps the score of {persona} at {kept.high:g} or below"
                f" ({kept.path}:{kept.line}), and {persona} gives up to {max(above):g} there"
            )
    return ""


def _not_in_code(headings: Sequence[str]) -> str:
    names = joined([f"“{title}”" for title in headings[:MOST_QUOTED]])
    return f"no text in the code has its headings {names}"


def _headings(reading: AuditReading) -> list[str]:
    """Return the words of the headings of the two highest levels that no run fills in.

    None where a heading stands between opinions: it may be of an argument, as may others.
    """
    rows = reading.report.criteria
    criteria = [_plain(row.name) for row in rows]
    lines = [opinion.line for row in rows for opinion in opinions_of(row) if opinion.line]
    # Every second part lies within a fence.
    parts = _FENCE.split(reading.text)
    number = 1
    titles: list[str] = []
    for place, part in enumerate(parts):
        for match in _HEADING.finditer(part) if place % 2 == 0 else ():
            title = _FILLED.split((match[1] or match[2]).strip(" *_#"))[0].strip(" *_")
            words = _plain(title)
            line = number + part.count("\n", 0, match.start())
            if not words or any(name and (name in words or words in name) for name in criteria):
                continue
            if lines and min(lines) < line < max(lines):
                return []
            titles.append(title)
        number += part.count("\n")
    return titles


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.lower()))
