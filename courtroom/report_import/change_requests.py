"""Test whether a sentence of a plan asks for a change: plans also hold praise and verdicts."""

from __future__ import annotations

import re

from courtroom.report_import import vocabulary
from courtroom.report_import.location_parser import parse_location
from courtroom.report_import.name_cleaning import LONGEST_NAME, normalize

# Ends of clauses. A dot within a path or a number has no blank behind it.
_CLAUSE_END = re.compile(r"[.;:!?\])]\s|\s[—\u2013→-]\s")
_JUDGE_LABEL = re.compile(r"[\W_]{0,8}\[([^\[\]]{1,40})\]")
_WISH = re.compile(
    r"\b(?:should (?!have\b)|needs? to |recommend|suggest |consider )", re.IGNORECASE
)


def asks_for_change(text: str) -> bool:
    """Return whether a clause is a request, as in `In src/a.py, add a deadline`.

    Praise, a judge's verdict and a pointer to another text ask for nothing.
    """
    label = _JUDGE_LABEL.match(text)
    if label and vocabulary.JUDGE.fullmatch(normalize(label[1])):
        return False
    clauses = _CLAUSE_END.split(text)
    return any(map(_is_imperative, clauses)) or _WISH.search(text) is not None


def _is_imperative(clause: str) -> bool:
    words = _words(clause)
    if words[0] in vocabulary.PREPOSITIONS:
        # The verb follows the place: “In src/a.py, add …”.
        words = _words(clause.partition(", ")[2])
    elif parse_location(words[0])[0] is not None:
        # So it does without a mark between: “src/a.py:12 Add …”.
        words = words[1:]
    if words[0] in vocabulary.ADVERBS:
        words = words[1:]
    if words[0] not in vocabulary.CHANGE_VERBS_AND_NOUNS:
        return words[0] in vocabulary.CHANGE_VERBS
    return words[1] in vocabulary.DETERMINERS or parse_location(words[1])[0] is not None


def _words(clause: str) -> list[str]:
    """Return the first words in lower case, at least four, without ornament before them."""
    words = [word.strip("*_`\"'([#>-") for word in clause[:LONGEST_NAME].lower().split()]
    return [*filter(None, words), "", "", "", ""]
