"""Parts that a README calls still to come, and that the code has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.pdf_claims.part_edges import edge_of

# By the part of the work: its words, and how a sentence names it.
_PARTS: Mapping[str, tuple[re.Pattern[str], str]] = {
    "lacks_judges": (
        re.compile(r"\b(?:judges?|judicial (?:layer|nodes?)|prosecutor)\b", re.IGNORECASE),
        "the judges",
    ),
    "lacks_chief_justice": (
        re.compile(r"\b(?:chief ?justice|synthesis (?:engine|node))\b", re.IGNORECASE),
        "the Chief Justice",
    ),
}
_TO_COME = re.compile(
    r"(?:\u2013|\u2014|:|(?<!what )(?<!that )(?<!which )\b(?:is|are)) (?:planned|coming soon|to be (?:implemented|added|wired))\b"
    r"|\breserved for (?:the )?final\b|\bnot yet (?:implemented|wired|built)\b",
    re.IGNORECASE,
)
_PLACEHOLDERS = re.compile(r"\bplaceholder (?:[\w/]{1,40} ){0,3}judges?\b", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}\s{1,4}(.{1,120})")
_COMING = re.compile(r"\b(?:coming|to come|not yet implemented)\b", re.IGNORECASE)
_ITEM = re.compile(r"\s{0,6}[-*] `?(?:\./)?((?:[\w.-]{1,60}/){1,6}[\w-]{1,60}\.py)\b")
_CONDITION = re.compile(
    r"\b(?:if|when|unless|optional\w*|falls? back|otherwise|peers?|target|could|improve\w*)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[*_`]|^\s{0,6}[-+]\s")
MOST_CHARACTERS = 120


def stale_lines(
    readme: str, text: str, facts: Mapping[str, Any], paths: Collection[str]
) -> Iterator[FlowFault]:
    """Yield what a README calls still to come, each part once; `facts` are those of the code."""
    graph = facts.get("graph") or {}
    places = {part: edge_of(part, graph) if graph else None for part in _PARTS}
    coming: dict[str, int] = {}
    stale: set[str] = set()
    heading = ""
    for number, line in enumerate(text.splitlines(), start=1):
        title = _HEADING.match(line)
        if title:
            heading = title[1].strip() if _COMING.search(title[1]) else ""
        if heading and (item := _ITEM.match(line)) and item[1] in paths:
            coming.setdefault(item[1], number)
        if title or len(line) > 4 * MOST_CHARACTERS or _CONDITION.search(line):
            continue
        for part, (words, name) in _PARTS.items():
            if part in stale or not words.search(line):
                continue
            if why := _why_stale(part, line, places, facts):
                # A line on several parts is stale once.
                stale |= {part, *(other for other, (w, _) in _PARTS.items() if w.search(line))}
                quote = _MARKS.sub("", line).strip()[:MOST_CHARACTERS]
                sentence = f"the README says of {name} “{quote}”, and {why}"
                yield FlowFault("stale_readme", sentence, readme, number)
    if coming:
        has = f"the repository has {'it' if len(coming) == 1 else 'them'}"
        sentence = f"the README calls {joined(list(coming))} still to come, and {has}"
        first, *further = coming.values()
        lines = tuple((readme, line) for line in further)
        yield FlowFault("stale_readme", sentence, readme, first, places=lines)


def _why_stale(
    part: str, line: str, places: Mapping[str, Mapping[str, Any] | None], facts: Mapping[str, Any]
) -> str:
    if part == "lacks_judges" and _PLACEHOLDERS.search(line):
        calls = facts.get("structured_output_calls") or ()
        return "they ask a model" if any(call.get("by_judge") for call in calls) else ""
    place = places[part] if _TO_COME.search(line) else None
    return f"the graph leads there ({place['path']}:{place['line']})" if place else ""
