"""Recorded scores of opinions: other ones than in the opinion's own text, and one throughout."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from courtroom.analysis.project.repeated_arguments import LEAST_FIXED

if TYPE_CHECKING:
    from courtroom.report_import.imported_report import ImportedOpinion, ImportedReport

# What is said of opinions with another score than that.
OTHER_SCORE = "record another score than the one in their own text"
# What is said of opinions that a template alone wrote.
FILLED = "a placeholder in place of an argument"
# What is said of an audit that calls its own lines so.
MARKED = "of its lines placeholders"
_MARK = re.compile(
    r"\(placeholders?\)\W{0,4}$|:\W{0,4}(?:[\w/]{1,20} ){0,3}placeholders?(?: \([^()\n]{0,40}\))?\W{0,4}$",
    re.IGNORECASE,
)
# What is said of the judges' code after an audit.
SINCE = " Since this audit"
# What is said of a judge with one score.
ONE_SCORE = "has only one score by"
# Judges whose part it is to find something good in each criterion.
LENIENT = frozenset({"Defense"})
# Characters before the score that show what it is part of.
BEFORE = 20
# A score in an argument that is the whole answer: `{"score": 4, "reasoning": ...`.
_SCORE = re.compile(r"""["']score["']\s{0,3}:\s{0,3}["']?(\d{1,3}(?:\.\d{1,3})?)(?![\d.])""")


def placeholder_lines(text: str) -> list[int]:
    """Return the 1-based lines that the text itself calls a placeholder, as in "(placeholder)"."""
    return [n for n, line in enumerate(text.splitlines(), 1) if _MARK.search(line)]


def has_other_score(opinion: ImportedOpinion) -> bool:
    """Return whether the argument holds one score, as in JSON, that is not the recorded one."""
    named = {float(number) for number in _SCORE.findall(opinion.argument)}
    recorded = opinion.score.value if opinion.score else None
    return recorded is not None and len(named) == 1 and recorded not in named


def written_score(opinion: ImportedOpinion) -> str:
    """Return the score in the argument, "" for none."""
    match = _SCORE.search(opinion.argument)
    return match[1] if match else ""


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


def fixed_scores(report: ImportedReport) -> dict[str, str]:
    """Return the judges with one score for all of many criteria, each with words on which these are."""
    by_judge: dict[str, list[float]] = {}
    for criterion in report.criteria:
        for opinion in criterion.opinions:
            if opinion.score is not None and opinion.score.value is not None:
                by_judge.setdefault(str(opinion.judge), []).append(opinion.score.value)
    count = len(report.criteria)
    return {
        judge: f"{scores[0]:g} for {'all' if len(scores) >= count else f'{len(scores)} of'} {count}"
        for judge, scores in by_judge.items()
        if len(scores) >= LEAST_FIXED and len(set(scores)) == 1
    }


def sentence_on_scores(path: str, words_by_judge: Mapping[str, str]) -> str:
    *names, end = (f"{judge} ({words} criteria)" for judge, words in words_by_judge.items())
    judges = f"{', '.join(names)} and {end}" if names else end
    return f"{path} {ONE_SCORE} {judges}"
