"""Scores per criterion that a report lists of its self-audit, held against the committed ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from courtroom.analysis.pdf.pdf_content import PdfReading

# Fewer scores are no list; more differences are not all named.
_LEAST, _MOST_NAMED = 4, 3
# Limits of the parts that are read, of their characters, and of the names that are looked for.
_MOST_PAGES, _MOST_LISTS, _MOST_CHARACTERS, _MOST_NAMES, _MOST_WORDS = 3, 6, 20_000, 60, 8
_HEADING_CHARACTERS = 90
_SELF_AUDIT = re.compile(r"\bself[- ]?audit", re.IGNORECASE)
_LIST = re.compile(r"\bcriteri|\bresults?\b|\bbreakdown\b|\bscores?\b", re.IGNORECASE)
# What follows the list, or makes it one of others or of another time.
_OTHER = re.compile(
    r"\bpeers?\b|received|reflection|remediation|min[- ]?max|initial|interim|earlier|previous",
    re.IGNORECASE,
)
# Between a name and its score: marks, the id in brackets, and a word for the score.
_SCORE = (
    r"[^\w]{0,4}(?:\([^()]{1,60}\))?[^\w]{0,6}(?:(?:final )?score)?[^\w]{0,4}"
    r"(?P<score>\d(?:\.\d{1,2})?)(?: ?/ ?(?P<maximum>\d{1,3})(?:\.0)?)?"
    r"(?![\w%]|[./]\d| ?[-\u2013\u2014] ?\d)"
)
# Scores of several judges in a row: which one is the verdict, the row does not say.
_NEXT = re.compile(r"[^\w]{0,3}\d(?:\.\d{1,2})? ?/ ?\d")


def differing_scores(reading: PdfReading, audits: Iterable[Mapping[str, Any]]) -> str:
    """Return a sentence on the first list whose scores no self-audit has, "" where there is none.

    `audits` are the fact own_audits, all that the work has.
    """
    own = [audit for audit in audits if audit["about"] == "self" and audit["scores"]]
    names = dict.fromkeys(row["name"] for audit in own for row in audit["scores"])
    for page, text in islice(_lists(reading), _MOST_LISTS):
        listed = dict(_listed(text[:_MOST_CHARACTERS], list(names)[:_MOST_NAMES]))
        compared = [(audit["path"], *_compared(listed, audit["scores"])) for audit in own]
        held = [row for row in compared if row[1] >= _LEAST]
        if held and all(differences for _, _, differences in held):
            path, count, differences = min(held, key=lambda row: len(row[2]))
            named = "; ".join(differences[:_MOST_NAMED])
            return (
                f"Of {count} scores per criterion on page {page} of the report, {len(differences)}"
                f" {'is' if len(differences) == 1 else 'are'} not as in {path}, the committed"
                f" self-audit that is nearest to them: {named}."
            )
    return ""


def _lists(reading: PdfReading) -> Iterator[tuple[int, str]]:
    """Yield page and text of each part whose heading says that it lists scores of the self-audit."""
    lines = [(n, line) for n, page in enumerate(reading.pages, 1) for line in page.split("\n")]
    for number, (page, line) in enumerate(lines):
        is_heading = len(line) <= _HEADING_CHARACTERS and _SELF_AUDIT.search(line)
        if not is_heading or not _LIST.search(line) or _OTHER.search(line):
            continue
        part = []
        for other_page, text in lines[number + 1 :]:
            is_next = len(text) <= _HEADING_CHARACTERS and _OTHER.search(text)
            if is_next or other_page >= page + _MOST_PAGES:
                break
            part.append(text)
        yield page, " ".join(part)


def _listed(text: str, names: Iterable[str]) -> Iterator[tuple[str, tuple[float, float | None]]]:
    for name in names:
        match = re.search(_written(name) + _SCORE, text, re.IGNORECASE)
        if match and not _NEXT.match(text, match.end()):
            maximum = match["maximum"]
            yield name, (float(match["score"]), float(maximum) if maximum else None)


def _written(name: str) -> str:
    """Return a pattern of the name, of which a report may leave out all but the first two words."""
    words = re.findall(r"\w+", name)[:_MOST_WORDS]
    first = r"\W{1,3}".join(map(re.escape, words[:2]))
    # Atomic: a name of one word many times would be matched in all ways.
    rest = "".join(rf"(?:\W{{1,3}}{re.escape(word)})?" for word in words[2:])
    return rf"\b{first}(?>{rest})"


def _compared(
    listed: Mapping[str, tuple[float, float | None]], scores: Sequence[Mapping[str, Any]]
) -> tuple[int, list[str]]:
    """Return how many scores both have, and phrases on those that differ."""
    count, differences = 0, []
    for row in scores:
        score, maximum = listed.get(row["name"], (None, None))
        if score is None or (maximum and row["maximum"] and maximum != row["maximum"]):
            continue
        count += 1
        if score != row["score"]:
            differences.append(f"{row['name']} {score:g}, not {row['score']:g}")
    return count, differences
