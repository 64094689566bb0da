"""Findings of kinds that read the student's PDF report, handed in or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.pdf.pdf_content import unread_report
from courtroom.analysis.project.audit_folders import kind_of
from courtroom.checks.phrases import listed
from courtroom.checks.result import Finding, absent, could_not_read

if TYPE_CHECKING:
    from courtroom.checks.kind import Replay
    from courtroom.models.check import CheckBase
    from courtroom.replay.stored_report import StoredReport

# Shown in reports, and the reason of facts on the PDF.
NO_PDF = "No PDF report was handed in."
# Further Markdown files are left out.
MOST_NAMED = 2


def no_report(goal: str) -> Finding:
    """A required report that was not handed in is a fact about the submission."""
    return absent(NO_PDF, f"{NO_PDF} It should show this: {goal}.")


def markdown_beside(paths: Iterable[str]) -> str:
    """Return a sentence on the Markdown reports among a repository's files; "" where none is."""
    reports = sorted(filter(_is_markdown_report, paths))[:MOST_NAMED]
    verb = "is" if len(reports) == 1 else "are"
    return f"Only a PDF is judged as the report: {listed(reports)} {verb} not." if reports else ""


def _is_markdown_report(path: str) -> bool:
    pure = PurePosixPath(path.lower())
    is_named_so = pure.suffix == ".md" and "report" in pure.stem and "template" not in pure.stem
    # Audits that the work wrote or received are reports of another kind.
    return is_named_so and kind_of(path) is None and not any("audit" in p for p in pure.parts)


def as_read(finding: Finding, confidence: float) -> Finding:
    """The finding with clues no surer than the text they come from: 1 but for scanned pages."""
    clues = (replace(clue, confidence=clue.confidence * confidence) for clue in finding.clues)
    return finding if confidence == 1 else replace(finding, clues=tuple(clues))


def from_stored_report(answer: Callable[[Any, StoredReport], Finding | None]) -> Replay:
    """Replay of a kind that reads the PDF: not met where none was handed in."""

    def replay(check: CheckBase, report: StoredReport) -> Finding | None:
        if not report.has_pdf:
            return no_report(check.goal)
        if reason := _unread(report):
            return could_not_read(reason)
        return answer(check, report)

    return replay


def _unread(report: StoredReport) -> str:
    """Why the report that was handed in could not be read; "" where it was, or its diagram."""
    pages, pictures = report.fact("pdf_pages"), report.fact("pdf_images")
    if report.fact("pdf_characters") != 0 or report.fact("pdf_diagram") not in (None, "none"):
        return ""
    return unread_report(pages, pictures)
