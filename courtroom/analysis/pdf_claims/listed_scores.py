"""Scores per criterion that a report lists of an audit, held against the committed audits.

Each list is read with its own heading: one of the self-audit is compared with the work's audits of
itself, one of peers with those of and by peers. A heading or a first sentence on an earlier audit
makes no claim about the committed ones.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, combinations, islice
from typing import Any, Literal

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.project.audit_rows import AS_AUDITED

Owner = Literal["self", "peers"]

# Fewer scores are no list; more differences are not all named.
_LEAST, _LEAST_OF_SEVERAL, _MOST_NAMED = 4, 2, 3
# Limits of the parts that are read, of their characters, and of the names that are looked for.
_MOST_PAGES, _MOST_LISTS, _MOST_CHARACTERS, _MOST_NAMES, _MOST_WORDS = 4, 6, 20_000, 60, 8
_HEADING_CHARACTERS = 90
_SELF_AUDIT = re.compile(r"\bself[- \u2010-\u2013]?audit", re.IGNORECASE)
_PEERS = re.compile(r"\bpeers?\b|\breceived\b|\bclassmate", re.IGNORECASE)
_LIST = re.compile(r"\bcriteri|\bresults?\b|\bbreakdown\b|\bscores?\b", re.IGNORECASE)
# What follows the list, or makes it one of another time.
_OTHER = re.compile(
    r"reflection|remediation|min[- \u2010-\u2013]?max|\binitial|interim|earlier|previous",
    re.IGNORECASE,
)
# What the text before the first score says of an earlier run.
_EARLIER = re.compile(
    r"\b(?:initial|first|earlier|previous|prior|original|baseline|interim)"
    r" (?:self[- \u2010-\u2013]?audit|peer|audit|run|scor|result)",
    re.IGNORECASE,
)
_BEFORE = 400
# The head of a table whose first column of scores is a judge's.
_JUDGES_FIRST = re.compile(
    r"\b(?:criteri(?:on|a)|dimensions?|metrics?)\b(?:(?!final|score|verdict)[^.]){0,60}?"
    r"\b(?:prosecutor|defen[cs]e)\b",
    re.IGNORECASE,
)
# The audits, by what they are about, that a list may be of; and what each of them is.
_ABOUT: dict[Owner, tuple[str, ...]] = {"self": ("self",), "peers": ("peer", "received")}
_LISTED: dict[Owner, str] = {"self": "its self-audit", "peers": "an audit among peers"}
_AUDIT = {"self": "self-audit", "peer": "audit of a peer", "received": "audit by a peer"}
# Between a name and its score: marks, the id in brackets, and a word for the score.
_SCORE = (
    r"[^\w]{0,4}(?:\([^()]{1,60}\))?[^\w]{0,6}(?:(?:final )?score)?[^\w]{0,4}"
    r"(?P<score>\d(?:\.\d{1,2})?)(?: ?/ ?(?P<maximum>\d{1,3})(?:\.0)?)?"
    r"(?![\w%]|[./]\d| ?[-\u2013\u2014] ?\d)"
)
# Scores of several judges in a row, or of two times: which one is the verdict, the row does not say.
# A number of things, as in the next column, is none: "4 9 nodes in two layers".
_COUNTED = r"(?! (?!and\b|to\b|or\b|out\b|of\b)[a-z]{3})"
_NEXT = re.compile(rf"[^\w]{{0,4}}(?:to )?\d(?:\.\d{{1,2}})? ?/ ?\d{{1,3}}+{_COUNTED}")
_NEXT_DIGIT = re.compile(rf"[^\w]{{0,4}}(?:to )?\d(?:\.\d{{1,2}})?(?![\w%]|[./]\d){_COUNTED}")


@dataclass(slots=True)
class _Part:
    """Part of a report whose heading says that it lists scores of an audit; `pages` are those of
    its lines.
    """

    owner: Owner
    page: int
    lines: list[str] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)

    def pages_at(self, offsets: Iterable[int]) -> list[int]:
        """Return the pages of these characters of the lines, which are joined by a blank."""
        starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))
        return sorted({self.pages[bisect_right(starts, offset) - 1] for offset in offsets})


@dataclass(frozen=True, slots=True)
class _Score:
    """Score as it is written: `step` is one unit of its last digit, `at` where it stands."""

    value: float
    maximum: float | None
    step: float
    at: int = field(compare=False)


def differing_scores(reading: PdfReading, audits: Iterable[Mapping[str, Any]]) -> str:
    """Return sentences on the first list of each owner whose scores no audit has, "" without one,
    and on two lists of the self-audit that differ.

    `audits` are the fact own_audits, all that the work has.
    """
    rows = [audit for audit in audits if audit["scores"]]
    sentences: dict[Owner, str] = {}
    single: list[tuple[_Part, dict[str, _Score]]] = []
    for part in islice(_parts(reading), _MOST_LISTS):
        own = [audit for audit in rows if audit["about"] in _ABOUT[part.owner]]
        lists = _lists_of(part, own)
        if part.owner == "self" and len(lists) == 1:
            single.append((part, lists[0]))
        if part.owner not in sentences and (sentence := _difference(part, lists, own)):
            sentences[part.owner] = sentence
    differences = [sentences[owner] for owner in _ABOUT if owner in sentences]
    return " ".join([*differences, *_contradictions(single)])


def _lists_of(part: _Part, audits: Sequence[Mapping[str, Any]]) -> list[dict[str, _Score]]:
    names = dict.fromkeys(row["name"] for audit in audits for row in audit["scores"])
    return _lists(" ".join(part.lines)[:_MOST_CHARACTERS], list(names)[:_MOST_NAMES])


def _contradictions(lists: Sequence[tuple[_Part, dict[str, _Score]]]) -> Iterator[str]:
    """Yield a sentence on the first two lists that give criteria different scores."""
    for (part, first), (other_part, second) in combinations(lists, 2):
        both = [name for name in first if name in second]
        differing = [name for name in both if _differ(first[name], second[name])]
        if len(both) >= _LEAST and differing:
            pairs = (
                f"{name} {first[name].value:g} and {second[name].value:g}" for name in differing
            )
            places = dict.fromkeys(
                f"on {_where(*place, both)}" for place in ((part, first), (other_part, second))
            )
            yield (
                f"The report lists two scores of its self-audit for {len(differing)} of {len(both)}"
                f" criteria, {' and '.join(places)}: {'; '.join(islice(pairs, _MOST_NAMED))}."
            )
            return


def _differ(score: _Score, other: _Score) -> bool:
    is_one_scale = score.maximum == other.maximum or None in (score.maximum, other.maximum)
    return is_one_scale and abs(score.value - other.value) > max(score.step, other.step) / 2 + 1e-9


def _where(part: _Part, listed: Mapping[str, _Score], names: Iterable[str]) -> str:
    pages = part.pages_at(listed[name].at for name in names)
    if len(pages) == 1:
        return f"page {pages[0]}"
    return f"pages {pages[0]} {'and' if len(pages) == 2 else 'to'} {pages[-1]}"


def _difference(
    part: _Part, lists: Sequence[dict[str, _Score]], audits: Sequence[Mapping[str, Any]]
) -> str:
    """Return a sentence on the list of the part that is nearest to an audit, "" where one fits."""
    compared = [
        (len(differences), count, audit, differences, listed)
        for listed in lists
        for audit in audits
        for count, differences in [_compared(listed, audit["scores"])]
    ]
    # Of several lists, one that an audit has may be the present one, though it leaves scores out.
    fitting = _LEAST if len(lists) == 1 else _LEAST_OF_SEVERAL
    candidates = [row for row in compared if row[1] >= _LEAST]
    if not candidates or any(count >= fitting and not number for number, count, *_ in compared):
        return ""
    number, count, audit, differences, listed = min(candidates, key=lambda row: row[0])
    both = [row["name"] for row in audit["scores"] if row["name"] in listed]
    # The audit may be of another work, whatever folder it lies in.
    remarks = (f" {text}" for text in audit["remarks"] if AS_AUDITED in text)
    more = f"; and {number - _MOST_NAMED} more" if number > _MOST_NAMED else ""
    return (
        f"Of {count} scores per criterion that were read in the report's list of"
        f" {_LISTED[part.owner]} on {_where(part, listed, both)}, {number}"
        f" {'is' if number == 1 else 'are'} not as in {audit['path']}, the committed"
        f" {_AUDIT[audit['about']]} that, as it now stands, is nearest to them:"
        f" {'; '.join(differences[:_MOST_NAMED])}{more}.{''.join(remarks)}"
    )


def _parts(reading: PdfReading) -> Iterator[_Part]:
    """Yield the parts, each up to the next heading of another owner or subject."""
    part: _Part | None = None
    for page, text in enumerate(reading.pages, start=1):
        for line in text.split("\n"):
            is_heading = len(line) <= _HEADING_CHARACTERS
            owner = _owner_of(line) if is_heading else None
            if part and (page >= part.page + _MOST_PAGES or (is_heading and _ends(part, line))):
                yield part
                part = None
            is_list = _LIST.search(line) or (page, line) in reading.headings
            if owner and is_list and not _OTHER.search(line):
                if part:
                    yield part
                part = _Part(owner, page)
            elif part:
                part.lines.append(line)
                part.pages.append(page)
    if part:
        yield part


def _owner_of(line: str) -> Owner | None:
    """Return whose scores a heading names; None where it names neither, or compares both."""
    is_self, is_peers = bool(_SELF_AUDIT.search(line)), bool(_PEERS.search(line))
    if is_self == is_peers:
        return None
    return "self" if is_self else "peers"


def _ends(part: _Part, line: str) -> bool:
    other = _PEERS if part.owner == "self" else _SELF_AUDIT
    return bool(_OTHER.search(line) or other.search(line))


def _lists(text: str, names: Iterable[str]) -> list[dict[str, _Score]]:
    """Return the lists of a part, none of an earlier time: a name with a second score begins one."""
    found = sorted(
        (match.start(), name, _score_of(match))
        for name in names
        for match in re.finditer(_written(name) + _SCORE, text, re.IGNORECASE)
        if not _is_of_several(match)
    )
    before = text[max(found[0][0] - _BEFORE, 0) : found[0][0]] if found else ""
    if not found or _EARLIER.search(before) or _JUDGES_FIRST.search(before):
        return []

    lists: list[dict[str, _Score]] = [{}]
    for _, name, score in found:
        if lists[-1].get(name, score) != score:
            lists.append({})
        lists[-1][name] = score
    return lists


def _is_of_several(match: re.Match[str]) -> bool:
    following = _NEXT if match["maximum"] else _NEXT_DIGIT
    return bool(
        _NEXT.match(match.string, match.end()) or following.match(match.string, match.end())
    )


def _score_of(match: re.Match[str]) -> _Score:
    decimals = len(match["score"].partition(".")[2])
    maximum = float(match["maximum"]) if match["maximum"] else None
    return _Score(float(match["score"]), maximum, 10.0**-decimals, match.start("score"))


def _written(name: str) -> str:
    """Return a pattern of the name, of which a report may leave out all but the first two words.

    It may also cut them short, as in "Report Accuracy (Cross-Ref.)".
    """
    words = re.findall(r"\w+", name)[:_MOST_WORDS]
    first = r"\W{1,3}".join(map(re.escape, words[:2]))
    # Atomic: a name of one word many times would be matched in all ways.
    rest = "".join(rf"(?:\W{{1,3}}{re.escape(word[:3])}\w{{0,20}})?" for word in words[2:])
    return rf"\b{first}(?>{rest})"


def _compared(
    listed: Mapping[str, _Score], scores: Sequence[Mapping[str, Any]]
) -> tuple[int, list[str]]:
    """Return how many scores both have, and phrases on those that differ by more than rounding."""
    count, differences = 0, []
    for row in scores:
        score = listed.get(row["name"])
        is_other_scale = score and score.maximum and row["maximum"] not in (None, score.maximum)
        if score is None or is_other_scale:
            continue
        count += 1
        if abs(score.value - row["score"]) > score.step / 2 + 1e-9:
            differences.append(f"{row['name']} {score.value:g}, not {row['score']:g}")
    return count, differences
