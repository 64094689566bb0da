"""Checks and their evidence for a page; each evidence item is printed in full once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from grading.engine.report import Check, Criterion, Evidence, Report
from grading.report_pages.location_links import LinkedLocation, link_location
from grading.report_pages.quotes import QuotedLine, quoted_lines, reveal_invisible

OUTCOMES = {True: "met", False: "not met", None: "not established"}


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One evidence item. `lines` quote a file; `statement` is a count or a search without a quote.

    Several criteria may share an item: only the first of them (`is_first`) prints it in full.
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
    """Goal and outcome of a check, with its evidence.

    `outcome` is "met", "not met" or "not established"; "" for evidence that belongs to no check.
    """

    goal: str
    outcome: str
    reason: str
    evidence: tuple[EvidenceItem, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    id: str
    words: str


class EvidencePresenter:
    """Prepares the evidence of one report and remembers the items that are printed already."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._printed: set[str] = set()
        checks = [check for row in report.criteria for check in row.checks]
        self._confirming = {key for check in checks if check.met for key in check.evidence}

    def checks(self, criterion: Criterion) -> tuple[CheckView, ...]:
        """Return the checks in the rubric's order, then the criterion's other evidence by goal."""
        checks = [self.check(check) for check in criterion.checks]
        used = {key for check in criterion.checks for key in check.evidence}

        by_goal: defaultdict[str, list[EvidenceItem]] = defaultdict(list)
        for piece in self._report.evidence_of(criterion.evidence):
            if piece.id not in used:
                by_goal[piece.goal].append(self._present(piece))

        rest = (CheckView(goal, "", "", tuple(pieces)) for goal, pieces in by_goal.items())
        return (*checks, *rest)

    def check(self, check: Check) -> CheckView:
        pieces = self._report.evidence_of(check.evidence)
        evidence = tuple(self._present(piece) for piece in pieces)
        return CheckView(check.goal, OUTCOMES[check.met], reveal_invisible(check.reason), evidence)

    def citations(self, ids: Iterable[str]) -> tuple[Citation, ...]:
        """Return each cited location once; evidence of an absence is named by its goal."""
        by_words: dict[str, Citation] = {}
        for piece in self._report.evidence_of(ids):
            words = self._citation_words(piece)
            by_words.setdefault(words, Citation(piece.id, words))
        return tuple(by_words.values())

    def _citation_words(self, piece: Evidence) -> str:
        if piece.found:
            return link_location(piece.location, self._report.repo_url).words
        # "No shell is used" holds because nothing was found: an absence may confirm its goal.
        prefix = "Confirmed" if piece.id in self._confirming else "Not found"
        return f"{prefix}: {piece.goal}"

    def _present(self, piece: Evidence) -> EvidenceItem:
        # Criteria ask in the order of the page: the first to show an item prints it in full.
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
