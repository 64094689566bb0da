"""Findings written down: what an audit or an imported report says of them, and so what has become of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from grading.core.activity import record_activity
from grading.core.enums import JUDGED_STATES, FindingState
from grading.engine import imports as engine_imports
from grading.engine.report import parse_report
from grading.findings.identity import Told, findings_of_report, gone
from grading.findings.imported_findings import Named, findings_of_reading
from grading.findings.rows import Ledger, Words
from grading.models import Audit, FeedbackReport, Finding, FindingSighting
from grading.peer_review.feedback.queries import edition_of


def record_findings(*, audit: Audit) -> None:
    """Write down what this audit's report says is there or gone; call it in the transaction that wrote the report.

    Whatever its kind, and however often: the same report is written once. A report made anew from the same evidence
    changes nothing, even where its checks got other ids; what it no longer asks, and what somebody has answered, stays
    as this audit saw it.
    """
    if audit.state not in JUDGED_STATES:
        return
    told = findings_of_report(parse_report(audit.report or {}))
    if not told.there and not told.looked_at:
        return
    with transaction.atomic():
        ledger = Ledger.of(audit.submission)
        before = list(FindingSighting.objects.filter(audit=audit))
        words = _but_for_answers(_words(ledger, told, before), before)
        new = ledger.add({key: draft for key, draft in words.items() if draft is not None})
        if not ledger.sight(words, before, submission=audit.submission, audit=audit):
            return
        _hear_the_others(ledger, audit, new)
        ledger.tell_lives(words)
        record_activity(
            organization=audit.organization_id,
            actor=None,
            verb="findings.recorded",
            about=audit,
            there=sum(draft is not None for draft in words.values()),
            new=len(new),
            fixed=ledger.moves[FindingState.FIXED],
            regressed=ledger.moves[FindingState.REGRESSED],
        )


def record_imported(*, report: FeedbackReport) -> None:
    """Write down what a report that was brought along says is to be mended in its subject's work.

    In the words in which its subject may read them, so that no finding tells who wrote it. One that is about nobody
    known here, or about an attempt that is not, says nothing.
    """
    reading = edition_of(report, side="subject").reading
    if reading is None or report.submission is None:
        return
    with transaction.atomic():
        ledger = Ledger.of(report.submission)
        drafts = findings_of_reading(reading, _criteria_of(report, reading), ledger.known())
        words = {draft.key: draft for draft in drafts}
        new = ledger.add(words)
        before = list(FindingSighting.objects.filter(report=report))
        if ledger.sight(words, before, submission=report.submission, report=report):
            ledger.tell_lives(dict.fromkeys(words))  # what an audit called it stays its name
            record_activity(
                organization=report.organization_id,
                actor=None,
                verb="findings.recorded",
                about=report.submission,
                report=str(report.pk),
                there=len(words),
                new=len(new),
                fixed=0,
                regressed=0,
            )


def _criteria_of(report: FeedbackReport, reading: dict[str, Any]) -> dict[int, Named]:
    """Of the report's criteria, by place, those that the rubric has under which it was asked for."""
    asked = report.pairing.round.rubric_version if report.pairing else None
    document = (asked or report.assignment.rubric_version).document
    names = {row["id"]: row["name"] for row in document["criteria"]}
    matched = engine_imports.matched_criteria(reading, document)
    return {place: Named(id=name, name=names[name]) for place, name in matched.items()}


def _words(ledger: Ledger, told: Told, before: Sequence[FindingSighting]) -> Words:
    there = ledger.identified(told.there, before)
    return {**there, **dict.fromkeys(gone(told, ledger.known(), there))}


def _but_for_answers(words: Words, before: Sequence[FindingSighting]) -> Words:
    """Without taking back what this audit saw and its owner has answered since: an answer needs its question."""
    seen = [sighting.finding_id for sighting in before if sighting.present]
    answered = Finding.objects.filter(pk__in=seen, responses__isnull=False).values_list(
        "key", flat=True
    )
    kept = set(answered) if seen else set()
    return {key: draft for key, draft in words.items() if draft is not None or key not in kept}


def _hear_the_others(ledger: Ledger, audit: Audit, new: Mapping[str, Finding]) -> None:
    """What audits that ended before this one say of what is only known now: a later attempt may be without it."""
    if not new:
        return
    submission = audit.submission
    theirs = Audit.objects.filter(
        submission__assignment=submission.assignment_id,
        submission__student=submission.student_id,
        state__in=JUDGED_STATES,
    )
    for other in theirs.exclude(pk=audit.pk).select_related("submission").iterator(chunk_size=1):
        said = _words(ledger, findings_of_report(parse_report(other.report or {})), ())
        words = {key: draft for key, draft in said.items() if key in new}
        ledger.sight(words, (), submission=other.submission, audit=other)
