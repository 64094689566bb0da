"""Recording of the findings of an audit or an imported report, and of the state that follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from grading.core.activity_writer import record_activity
from grading.core.enums import JUDGED_STATES, FindingState
from grading.engine import imports as engine_imports
from grading.engine.findings import ReportFindings, findings_of_report
from grading.engine.report import parse_report
from grading.findings.identity import gone
from grading.findings.imported_findings import ReportCriterion, findings_of_reading
from grading.findings.rows import Drafts, Ledger
from grading.models import Audit, FeedbackReport, Finding, FindingSighting


def record_findings(*, audit: Audit) -> None:
    """Record which findings this audit's report has or no longer has.

    Call it in the transaction that writes the report. It is idempotent. A report rebuilt from the
    same evidence changes nothing, even if its checks got other ids. Findings that it no longer
    checks, and answered findings, stay as this audit saw them.
    """
    if audit.state not in JUDGED_STATES:
        return
    reported = findings_of_report(parse_report(audit.report or {}))
    if not reported.there and not reported.looked_at:
        return

    with transaction.atomic():
        ledger = Ledger.of(audit.submission)
        before = list(FindingSighting.objects.filter(audit=audit))
        drafts = _keep_answered(_drafts(ledger, reported, before), before)
        new = ledger.add({key: draft for key, draft in drafts.items() if draft is not None})
        if not ledger.replace_sightings(drafts, before, submission=audit.submission, audit=audit):
            return
        _add_other_audits(ledger, audit, new)
        ledger.update_states(drafts)

        record_activity(
            organization=audit.organization_id,
            actor=None,
            verb="findings.recorded",
            about=audit,
            there=sum(draft is not None for draft in drafts.values()),
            new=len(new),
            fixed=ledger.moves[FindingState.FIXED],
            regressed=ledger.moves[FindingState.REGRESSED],
        )


def record_imported(*, report: FeedbackReport, reading: dict[str, Any] | None) -> None:
    """Record the findings that an uploaded report reports in its subject's work.

    `reading` is the copy that the subject may read, so that no finding reveals the author. A report
    about an unknown student or attempt records nothing.
    """
    if reading is None or report.submission is None:
        return

    with transaction.atomic():
        ledger = Ledger.of(report.submission)
        criteria = _criteria_of(report, reading)
        drafts = {
            draft.key: draft for draft in findings_of_reading(reading, criteria, ledger.recorded())
        }
        new = ledger.add(drafts)
        before = list(FindingSighting.objects.filter(report=report))
        if ledger.replace_sightings(drafts, before, submission=report.submission, report=report):
            # Without drafts: the title that an audit gave stays.
            ledger.update_states(dict.fromkeys(drafts))
            record_activity(
                organization=report.organization_id,
                actor=None,
                verb="findings.recorded",
                about=report.submission,
                report=str(report.pk),
                there=len(drafts),
                new=len(new),
                fixed=0,
                regressed=0,
            )


def restore_imported(*, report: FeedbackReport, reading: dict[str, Any] | None) -> None:
    """Record the findings of a report again after `retire_imported`; else change nothing."""
    # Recorded twice, texts could be recognised as findings that audits have added meanwhile.
    if not FindingSighting.objects.filter(report=report).exists():
        record_imported(report=report, reading=reading)


def retire_imported(*, report: FeedbackReport) -> None:
    """Drop what an uploaded report says; findings that nothing else has seen go with it."""
    sightings = FindingSighting.objects.filter(report=report)
    if report.submission is None or not sightings.exists():
        return

    with transaction.atomic():
        ledger = Ledger.of(report.submission)
        keys = list(sightings.values_list("finding__key", flat=True))
        sightings.delete()
        ledger.update_states(dict.fromkeys(keys))
        record_activity(
            organization=report.organization_id,
            actor=None,
            verb="findings.retired",
            about=report.submission,
            report=str(report.pk),
            findings=len(keys),
        )


def _criteria_of(report: FeedbackReport, reading: dict[str, Any]) -> dict[int, ReportCriterion]:
    """Return the rubric's criteria by their place in the report; unmatched ones are left out."""
    # A round may review by another rubric than the assignment is graded by.
    version = report.pairing.round.rubric_version if report.pairing else None
    document = (version or report.assignment.rubric_version).document
    names = {row["id"]: row["name"] for row in document["criteria"]}
    matched = engine_imports.matched_criteria(reading, document)
    return {place: ReportCriterion(id=name, name=names[name]) for place, name in matched.items()}


def _drafts(ledger: Ledger, reported: ReportFindings, before: Sequence[FindingSighting]) -> Drafts:
    there = ledger.identified(reported.there, before)
    # A key without a draft stands for a finding that is gone.
    return {**there, **dict.fromkeys(gone(reported, ledger.recorded(), there))}


def _keep_answered(drafts: Drafts, before: Sequence[FindingSighting]) -> Drafts:
    """Return the drafts without those that would remove an answered finding of this audit."""
    present = [sighting.finding_id for sighting in before if sighting.present]
    answered = Finding.objects.filter(pk__in=present, responses__isnull=False)
    kept = set(answered.values_list("key", flat=True)) if present else set()
    return {key: draft for key, draft in drafts.items() if draft is not None or key not in kept}


def _add_other_audits(ledger: Ledger, audit: Audit, new: Mapping[str, Finding]) -> None:
    """Add sightings of new findings from audits that ended earlier: a later attempt may lack them."""
    if not new:
        return

    submission = audit.submission
    audits = Audit.objects.filter(
        submission__assignment=submission.assignment_id,
        submission__student=submission.student_id,
        state__in=JUDGED_STATES,
    )
    audits = audits.exclude(pk=audit.pk).select_related("submission")

    # Reports are large: one at a time.
    for other in audits.iterator(chunk_size=1):
        reported = findings_of_report(parse_report(other.report or {}))
        all_drafts = _drafts(ledger, reported, ())
        drafts = {key: draft for key, draft in all_drafts.items() if key in new}
        ledger.replace_sightings(drafts, (), submission=other.submission, audit=other)
