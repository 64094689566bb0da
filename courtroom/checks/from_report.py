"""Findings of kinds that read the student's PDF report, handed in or not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from courtroom.checks.result import Finding, absent

if TYPE_CHECKING:
    from courtroom.checks.kind import Replay
    from courtroom.models.check import CheckBase
    from courtroom.replay.stored_report import StoredReport

# Shown in reports, and the reason of facts on the PDF.
NO_PDF = "No PDF report was handed in."


def no_report(goal: str) -> Finding:
    """A required report that was not handed in is a fact about the submission."""
    return absent(NO_PDF, f"{NO_PDF} It should show this: {goal}.")


def as_read(finding: Finding, confidence: float) -> Finding:
    """The finding with clues no surer than the text they come from: 1 but for scanned pages."""
    clues = (replace(clue, confidence=clue.confidence * confidence) for clue in finding.clues)
    return finding if confidence == 1 else replace(finding, clues=tuple(clues))


def from_stored_report(answer: Callable[[Any, StoredReport], Finding | None]) -> Replay:
    """Replay of a kind that reads the PDF: not met where none was handed in."""

    def replay(check: CheckBase, report: StoredReport) -> Finding | None:
        return answer(check, report) if report.has_pdf else no_report(check.goal)

    return replay
