"""Outcome of a trial for a page: the check, its evidence, and the matching lines with those around."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from grading.engine.check_trials import Trial
from grading.engine.report import Check, Evidence, Report
from grading.engine.stored_sources import StoredSources
from grading.models import Audit
from grading.report_pages.checks_and_evidence import CheckView, EvidenceItem, EvidencePresenter
from grading.report_pages.location_links import Work
from grading.report_pages.quotes import QuotedLine, quoted_lines
from grading.submitted_work.queries import sources_of

# Lines before and after a match, and how many lines of one match are shown.
AROUND = 3
MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class ShownLine:
    line: QuotedLine
    is_match: bool


@dataclass(frozen=True, slots=True)
class Match:
    """One item of evidence; `lines` are empty where it has none, or the audit keeps no file."""

    item: EvidenceItem
    lines: tuple[ShownLine, ...]


@dataclass(frozen=True, slots=True)
class TrialView:
    check: CheckView
    matches: tuple[Match, ...]


def present_trial(audit: Audit, trial: Trial) -> TrialView:
    """Return the check as a report presents it; its places lead to the audit's code and PDF."""
    submission = audit.submission
    report = Report(
        repo_url=submission.repo_url,
        commit=submission.resolved_commit or None,
        evidence=trial.evidence,
    )
    address = reverse("audit", args=[audit.organization.slug, audit.pk])
    check = EvidencePresenter(report, Work.of(report, address)).check(_check_of(trial, report))
    has_lines = any(piece.location.line_start for piece in trial.evidence)
    sources = sources_of(audit) if has_lines else None
    pieces = report.evidence_by_id
    matches = tuple(
        Match(item, tuple(_lines(pieces[item.id], item, sources or {}))) for item in check.evidence
    )
    return TrialView(check, matches)


def _check_of(trial: Trial, report: Report) -> Check:
    return Check(
        goal=trial.goal,
        fault=trial.fault,
        met=trial.met,
        reason=trial.reason,
        evidence=tuple(report.evidence_by_id),
        not_applicable=trial.not_applicable,
    )


def _lines(piece: Evidence, item: EvidenceItem, sources: StoredSources) -> Iterator[ShownLine]:
    """Yield the quoted lines, between those around them where the audit keeps the file."""
    place = piece.location
    file = sources.get(place.path or "")
    first = place.line_start or 0
    last = max(place.line_end or first, first)
    # A fact of a stored report has a place, and no quotation of its own.
    if file is None or not 1 <= first <= last <= len(file.lines):
        yield from (ShownLine(line, is_match=True) for line in item.lines)
        return

    start = max(first - AROUND, 1)
    text = "\n".join(file.lines[start - 1 : min(last + AROUND, start + MOST_LINES)])
    for line in quoted_lines(text, place.path or "", start):
        yield ShownLine(line, is_match=first <= (line.number or 0) <= last)
