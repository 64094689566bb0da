"""Checks and their evidence as a page prints them: each piece in full once, then only its id."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from grading.engine.report import Check, Criterion, Evidence, Report
from grading.report_pages.locations import LinkedLocation, link_location
from grading.report_pages.quotes import QuotedLine, quoted_lines, reveal_invisible

OUTCOMES = {True: "met", False: "not met", None: "not established"}


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """A piece of evidence. `lines` quote a file; `statement` is what was counted or looked for.

    Evidence may serve several criteria: it is printed in full at the first (`is_first`) alone.
    """

    id: str
    found: bool
    rationale: str
    detective: str
    confidence: float
    tags: tuple[str, ...]
    place: LinkedLocation
    lines: tuple[QuotedLine, ...]
    statement: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class CheckView:
    """The goal of a check, its outcome and the exhibits that it rests on.

    `outcome` is "met", "not met" or "not established"; "" for evidence that belongs to no check.
    """

    goal: str
    outcome: str
    reason: str
    exhibits: tuple[EvidenceItem, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    id: str
    words: str


class EvidencePresenter:
    """The evidence of one report; remembers what the page has printed already."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._printed: set[str] = set()

    def checks(self, criterion: Criterion) -> tuple[CheckView, ...]:
        """Return the checks in the rubric's order, then the criterion's other evidence by goal."""
        checks = [self.check(check) for check in criterion.checks]
        used = {key for check in criterion.checks for key in check.evidence}

        by_goal: defaultdict[str, list[EvidenceItem]] = defaultdict(list)
        for piece in self._report.evidence_of(criterion.evidence):
            if piece.id not in used:
                by_goal[piece.goal].append(self._exhibit(piece))
        rest = (CheckView(goal, "", "", tuple(pieces)) for goal, pieces in by_goal.items())
        return (*checks, *rest)

    def check(self, check: Check) -> CheckView:
        pieces = self._report.evidence_of(check.evidence)
        exhibits = tuple(self._exhibit(piece) for piece in pieces)
        return CheckView(check.goal, OUTCOMES[check.met], reveal_invisible(check.reason), exhibits)

    def citations(self, ids: Iterable[str]) -> tuple[Citation, ...]:
        """Return each cited place once; evidence of an absence is named by its goal."""
        by_words: dict[str, Citation] = {}
        for piece in self._report.evidence_of(ids):
            place = link_location(piece.location, self._report.repo_url).words
            words = place if piece.found else f"not found: {piece.goal}"
            by_words.setdefault(words, Citation(piece.id, words))
        return tuple(by_words.values())

    def _exhibit(self, piece: Evidence) -> EvidenceItem:
        is_first = piece.id not in self._printed
        self._printed.add(piece.id)
        return EvidenceItem(
            id=piece.id,
            found=piece.found,
            rationale=reveal_invisible(piece.rationale),
            detective=piece.detective,
            confidence=piece.confidence,
            tags=piece.tags,
            place=link_location(piece.location, self._report.repo_url),
            lines=_lines(piece) if is_first else (),
            statement="" if piece.quotes_file else reveal_invisible(piece.content or ""),
            is_first=is_first,
        )


def _lines(piece: Evidence) -> tuple[QuotedLine, ...]:
    if not piece.quotes_file:
        return ()
    location = piece.location
    return quoted_lines(piece.content or "", location.path or "", location.line_start)
