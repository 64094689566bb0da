"""Checks and their evidence for a page; each evidence item is printed in full once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grading.engine.report import CITED_TAG, Check, Criterion, Evidence, Report, RootCause
from grading.report_pages.location_links import LinkedLocation, Work, link_location
from grading.report_pages.quotes import QuotedLine, quoted_lines, reveal_invisible

OUTCOMES = {True: "met", False: "not met", None: "not established"}
# A check that is met as a search for a fault recognised none: the work may have another form of it.
NO_MATCH = "no match"
WITH_RESERVATION = " with a reservation"
NOT_APPLICABLE = "not applicable"
# A root cause that no check of the criterion states.
ROOT_CAUSE = "root cause"
# A reason why several checks have no answer.
UNCHECKED = "not checked"
CITED_GOAL = "Further lines that judges cite"


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
    """Sentence on a check for its outcome and the fact that shows it, with its evidence.

    `outcome` is of OUTCOMES, NOT_APPLICABLE, ROOT_CAUSE or UNCHECKED; "" for evidence that belongs to
    no check. `hanging` do not apply, or have no answer, because of what this one says.
    `has_reservation`: it is met, and its fact also says what is missing. `is_vain_search`: it is met
    as a search for a fault that recognised none.
    """

    sentence: str
    outcome: str
    fact: str
    evidence: tuple[EvidenceItem, ...]
    hanging: tuple[CheckView, ...] = ()
    has_reservation: bool = False
    is_vain_search: bool = False

    @property
    def mark(self) -> str:
        """Return the outcome as the page shows it."""
        if self.is_fault:
            return "fault"
        outcome = NO_MATCH if self.is_vain_search else self.outcome
        return f"{outcome}{WITH_RESERVATION}" if self.has_reservation else outcome

    @property
    def is_fault(self) -> bool:
        return self.outcome in (OUTCOMES[False], ROOT_CAUSE)

    @property
    def is_unanswered(self) -> bool:
        return self.outcome in (OUTCOMES[None], UNCHECKED)


@dataclass(frozen=True, slots=True)
class Citation:
    """Place that a judge cites, with all that its evidence quotes there.

    `is_open`: the page shows the lines before anybody asks for them.
    """

    words: str
    items: tuple[EvidenceItem, ...]
    is_open: bool

    @property
    def id(self) -> str:
        return self.items[0].id


class EvidencePresenter:
    """Prepares the evidence of one report and remembers the items that are printed already."""

    def __init__(self, report: Report, work: Work | None = None) -> None:
        self._report, self._work = report, work or Work.of(report)
        self._printed: set[str] = set()
        # Judges cite the same lines: highlighting them takes most of the time of a page.
        self._lines: dict[str, tuple[QuotedLine, ...]] = {}
        checks = [check for row in report.criteria for check in row.checks]
        self._sentences = {
            key: cause.sentence if (cause := check.not_applicable) else check.statement.sentence
            for check in checks
            for key in check.evidence
        }

    def checks(self, criterion: Criterion) -> tuple[CheckView, ...]:
        """Return root causes with the checks that hang on them, reasons why several checks have no
        answer, the other checks in the rubric's order, then the criterion's other evidence by goal.
        """
        hanging: defaultdict[RootCause, list[Check]] = defaultdict(list)
        for check in criterion.checks:
            if check.not_applicable:
                hanging[check.not_applicable].append(check)
        causes = {cause.sentence for cause in hanging}
        stating = {c.reason: c for c in criterion.checks if c.met is False and c.reason in causes}
        checks = [
            self._root_cause(cause, stating.get(cause.sentence), below)
            for cause, below in hanging.items()
        ]
        unchecked = _unchecked(criterion)
        checks += [
            CheckView(reveal_invisible(reason), UNCHECKED, "", (), tuple(map(_open, below)))
            for reason, below in unchecked.items()
        ]
        grouped = (*stating.values(), *(check for below in unchecked.values() for check in below))
        checks += [
            self.check(check)
            for check in criterion.checks
            if not check.not_applicable and check not in grouped
        ]
        used = {key for check in criterion.checks for key in check.evidence}

        by_goal: defaultdict[str, list[EvidenceItem]] = defaultdict(list)
        for piece in self._report.evidence_of(criterion.evidence):
            if piece.id not in used:
                goal = CITED_GOAL if CITED_TAG in piece.tags else piece.goal
                by_goal[goal].append(self._present(piece))

        rest = (CheckView(goal, "", "", tuple(pieces)) for goal, pieces in by_goal.items())
        return (*checks, *rest)

    def _root_cause(
        self, cause: RootCause, stating: Check | None, below: Sequence[Check]
    ) -> CheckView:
        """Return the check that states the root cause, or the cause alone, with what hangs on it."""
        hanging = tuple(map(self.check, below))
        if stating:
            return replace(self.check(stating), hanging=hanging)
        pieces = self._report.evidence_of(below[0].evidence)
        evidence = tuple(self._present(piece) for piece in pieces)
        sentence = reveal_invisible(cause.sentence)
        return CheckView(sentence, ROOT_CAUSE, "", evidence, hanging)

    def check(self, check: Check) -> CheckView:
        if check.not_applicable:
            goal = reveal_invisible(check.statement.sentence)
            return CheckView(goal, NOT_APPLICABLE, "", ())
        pieces = self._report.evidence_of(check.evidence)
        evidence = tuple(self._present(piece) for piece in pieces)
        is_vain = self.is_vain_search(check)
        statement = check.search_statement if is_vain else check.statement
        return CheckView(
            reveal_invisible(statement.sentence),
            OUTCOMES[check.met],
            reveal_invisible(statement.fact),
            evidence,
            has_reservation=bool(check.met) and check.has_reservation,
            is_vain_search=is_vain,
        )

    def is_vain_search(self, check: Check) -> bool:
        """Return whether the check is met as a search for a fault that recognised none."""
        pieces = self._report.evidence_of(check.evidence)
        return bool(check.met and pieces) and all(piece.is_vain_search for piece in pieces)

    def citations(self, ids: Iterable[str]) -> tuple[Citation, ...]:
        """Return each cited location once, the first lines open.

        Evidence of an absence is named by what its check says.
        """
        by_words: defaultdict[str, dict[str, EvidenceItem]] = defaultdict(dict)
        for piece in self._report.evidence_of(ids):
            # Two detectives may quote one place in the same words.
            items = by_words[self._citation_words(piece)]
            items.setdefault(piece.content or "", self._item(piece, is_first=True))

        quoting = [words for words, items in by_words.items() if _quotes_lines(items.values())]
        return tuple(
            Citation(words, tuple(items.values()), is_open=words in quoting[:1])
            for words, items in by_words.items()
        )

    def _citation_words(self, piece: Evidence) -> str:
        words = link_location(piece.location, self._work).words
        if piece.found:
            return words
        # "No shell is used" holds because nothing was found: an absence may confirm its goal.
        sentence = self._sentences.get(piece.id, piece.goal)
        has_place = piece.location.path or piece.location.page or piece.location.commit
        return f"{words}: {sentence}" if has_place and words not in sentence else sentence

    def _present(self, piece: Evidence) -> EvidenceItem:
        # Criteria ask in the order of the page: the first to show an item prints it in full.
        is_first = piece.id not in self._printed
        self._printed.add(piece.id)
        return self._item(piece, is_first=is_first)

    def _item(self, piece: Evidence, *, is_first: bool) -> EvidenceItem:
        return EvidenceItem(
            id=piece.id,
            found=piece.found,
            rationale=reveal_invisible(piece.rationale),
            detective=piece.detective,
            confidence=piece.confidence,
            tags=piece.tags,
            place=link_location(piece.location, self._work),
            lines=self._lines_of(piece) if is_first else (),
            statement="" if piece.quotes_file else reveal_invisible(piece.content or ""),
            is_first=is_first,
        )

    def _lines_of(self, piece: Evidence) -> tuple[QuotedLine, ...]:
        if not piece.quotes_file:
            return ()
        if piece.id not in self._lines:
            place = piece.location
            lines = quoted_lines(piece.content or "", place.path or "", place.line_start)
            self._lines[piece.id] = lines
        return self._lines[piece.id]


def _unchecked(criterion: Criterion) -> dict[str, list[Check]]:
    """Return the checks without an answer by the reason that several of them share."""
    by_reason: defaultdict[str, list[Check]] = defaultdict(list)
    for check in criterion.checks:
        if check.met is None and not check.not_applicable:
            by_reason[check.statement.fact].append(check)
    return {reason: checks for reason, checks in by_reason.items() if reason and len(checks) > 1}


def _open(check: Check) -> CheckView:
    return CheckView(reveal_invisible(check.statement.sentence), OUTCOMES[None], "", ())


def _quotes_lines(items: Iterable[EvidenceItem]) -> bool:
    return any(item.lines for item in items)
