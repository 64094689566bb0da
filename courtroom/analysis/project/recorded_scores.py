"""Recorded scores of opinions that are not the score in the opinion's own text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from courtroom.report_import.imported_report import ImportedOpinion

# What is said of opinions with another score than that.
OTHER_SCORE = "record another score than the one in their own text"
# Characters before the score that show what it is part of.
BEFORE = 20
# A score in an argument that is the whole answer: `{"score": 4, "reasoning": ...`.
_SCORE = re.compile(r"""["']score["']\s{0,3}:\s{0,3}["']?(\d{1,3}(?:\.\d{1,3})?)(?![\d.])""")


def has_other_score(opinion: ImportedOpinion) -> bool:
    """Return whether the argument holds one score, as in JSON, that is not the recorded one."""
    named = {float(number) for number in _SCORE.findall(opinion.argument)}
    recorded = opinion.score.value if opinion.score else None
    return recorded is not None and len(named) == 1 and recorded not in named


def around_score(argument: str) -> str:
    """Return the argument from shortly before its score on."""
    match = _SCORE.search(argument)
    return argument[max(0, match.start() - BEFORE) :] if match else argument


def other_scores(path: str, unlike: Sequence[ImportedOpinion], opinions: int) -> str:
    """Return the words on such opinions of an audit, with the first recorded score."""
    verb = OTHER_SCORE.replace("record", "records").replace("their", "its")
    deed = verb if len(unlike) == 1 else OTHER_SCORE
    score = unlike[0].score.written if unlike[0].score else ""
    return f"{len(unlike)} of {opinions} opinions of {path} {deed}, such as {score}"
