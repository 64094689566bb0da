"""Checks and their evidence as a page prints them: each piece in full once, then only named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grading.report_pages.locations import Place, place_of
from grading.report_pages.quotes import QuotedLine, in_plain_sight, quoted_lines

Json = Mapping[str, Any]
OUTCOMES = {True: "met", False: "not met", None: "not established"}


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A piece of evidence. `lines` are quoted from a file; `statement` is what was counted or looked for.

    Evidence may serve several criteria: it is printed in full at the first (`is_first`), named at the others.
    """

    id: str
    found: bool
    rationale: str
    detective: str
    confidence: float
    tags: tuple[str, ...]
    place: Place
    lines: tuple[QuotedLine, ...]
    statement: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class CheckView:
    """What was looked for, what that came to, and the exhibits it rests on.

    `outcome` is "met", "not met" or "not established"; "" for evidence that no check of the rubric asked for.
    """

    goal: str
    outcome: str
    reason: str
    exhibits: tuple[Exhibit, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    id: str
    words: str


class Exhibits:
    """The evidence of one report; remembers what the page has printed already."""

    def __init__(self, document: Json) -> None:
        self._rows: dict[str, Json] = {row["id"]: row for row in document["evidence"]}
        self._repo_url: str = document["repo_url"]
        self._printed: set[str] = set()

    def checks(self, criterion: Json) -> tuple[CheckView, ...]:
        """The criterion's checks in the rubric's order, then what else was found for it, by goal."""
        checks = [self._check(check) for check in criterion["checks"]]
        asked_for = {key for check in criterion["checks"] for key in check["evidence"]}
        others: defaultdict[str, list[Exhibit]] = defaultdict(list)
        for row in self._known(key for key in criterion["evidence"] if key not in asked_for):
            others[row["goal"]].append(self._exhibit(row))
        return (*checks, *(CheckView(goal, "", "", tuple(found)) for goal, found in others.items()))

    def _check(self, check: Json) -> CheckView:
        exhibits = tuple(self._exhibit(row) for row in self._known(check["evidence"]))
        return CheckView(
            check["goal"], OUTCOMES[check["met"]], in_plain_sight(check["reason"]), exhibits
        )

    def citations(self, ids: Iterable[str]) -> tuple[Citation, ...]:
        """Each cited place once, in words; what was not found anywhere goes by what was looked for."""
        by_words: dict[str, Citation] = {}
        for row in self._known(ids):
            place = place_of(row["location"], self._repo_url).words
            words = place if row["found"] else f"not found: {row['goal']}"
            by_words.setdefault(words, Citation(row["id"], words))
        return tuple(by_words.values())

    def _known(self, ids: Iterable[str]) -> list[Json]:
        return [self._rows[key] for key in ids if key in self._rows]

    def _exhibit(self, row: Json) -> Exhibit:
        is_first = row["id"] not in self._printed
        self._printed.add(row["id"])
        return Exhibit(
            id=row["id"],
            found=row["found"],
            rationale=in_plain_sight(row["rationale"]),
            detective=row["detective"],
            confidence=row["confidence"],
            tags=tuple(row["tags"]),
            place=place_of(row["location"], self._repo_url),
            lines=_lines(row) if is_first else (),
            statement="" if _quotes_a_file(row) else in_plain_sight(row["content"] or ""),
            is_first=is_first,
        )


def _quotes_a_file(row: Json) -> bool:
    return bool(row["content"] and row["location"]["path"] and row["location"]["line_start"])


def _lines(row: Json) -> tuple[QuotedLine, ...]:
    if not _quotes_a_file(row):
        return ()
    return quoted_lines(row["content"], row["location"]["path"], row["location"]["line_start"])
