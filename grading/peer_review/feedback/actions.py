"""Reports that students bring along, of their own auditors: read, kept as they are, marked as imported and unsigned."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from grading.core.activity import record_activity
from grading.core.enums import FeedbackKind, FeedbackSource
from grading.core.errors import FeedbackRefused
from grading.core.pairing_access import hides_other_side
from grading.engine import imports as engine_imports
from grading.findings.actions import record_imported
from grading.models import Assignment, Enrollment, FeedbackReport, Pairing, Submission
from grading.peer_review.actions import WHOLE_FORM, notify_subject_of_report, refuse_unless_active
from grading.peer_review.feedback.import_mismatches import Direction, Work, has_commit, misfits_of

MOST_BYTES = 2_000_000
MOST_REPORTS = (
    60  # that one student brings to one assignment: k of 5, five rounds, and each once more
)
FILE = "file"


def import_feedback(
    *,
    assignment: Assignment,
    direction: Direction,
    brought_by: Enrollment,
    text: str,
    name: str,
    origin: str,
    by: User | None,
    pairing: Pairing | None = None,
) -> FeedbackReport:
    """Take a report as it is written; what does not match the work or the rubric is flagged, never refused.

    `origin` is “upload” or a path of the student's repository. Raises FeedbackRefused: not_yours, pairing_ended,
    round_not_started, cohort_over, too_many_reports, already_imported, and what the reader refuses (field “file”).
    """
    text = _storable(text)
    reading = engine_imports.read_report_text(text, name=name)
    if pairing is not None:
        _refuse_others(pairing, direction, brought_by)
    digest = hashlib.sha256(text.encode()).hexdigest()
    with transaction.atomic():
        if pairing is not None:
            Pairing.objects.select_for_update(no_key=True).get(pk=pairing.pk)
            refuse_unless_active(pairing)
        Enrollment.objects.select_for_update(no_key=True).get(pk=brought_by.pk)
        _refuse_known(assignment, brought_by, digest, pairing)
        report = _of_sides(assignment, direction, brought_by, pairing, reading)
        report.origin, report.original, report.original_name = origin[:1024], text, _name(name)
        report.original_sha256 = digest
        report.save(force_insert=True)
        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="feedback.imported",
            about=report,
            origin=origin[:200],
            misfits=[each["code"] for each in report.misfits],
        )
        record_imported(report=report)
        if direction == "generated":
            notify_subject_of_report(report=report)
    return report


def works_of(submissions: list[Submission]) -> list[Work]:
    return [Work(each.repo_url, each.resolved_commit) for each in submissions]


def _storable(text: str) -> str:
    if len(text.encode(errors="replace")) > MOST_BYTES:
        raise FeedbackRefused(
            FILE, "report_too_large", f"A report has at most {MOST_BYTES // 1_000_000} MB."
        )
    if not text.strip():
        raise FeedbackRefused(FILE, "report_empty", "There is nothing in this file.")
    if "\x00" in text:
        raise FeedbackRefused(
            FILE, "report_no_text", "This file is no text: Markdown or JSON can be read."
        )
    return text


def _refuse_others(pairing: Pairing, direction: Direction, brought_by: Enrollment) -> None:
    """Under a pairing only its auditor brings a report: no one else says in their name what they found."""
    if direction != "generated" or pairing.auditor_id != brought_by.pk:
        raise FeedbackRefused(
            WHOLE_FORM, "not_yours", "Only who audits brings a report under this pairing."
        )


def _of_sides(
    assignment: Assignment,
    direction: Direction,
    brought_by: Enrollment,
    pairing: Pairing | None,
    reading: dict[str, Any],
) -> FeedbackReport:
    """The row, without the file: who wrote it on whom, about which attempt, and what does not fit that."""
    author, subject = _sides(direction, brought_by, pairing)
    attempts = _attempts_of(assignment, subject)
    return FeedbackReport(
        organization_id=assignment.organization_id,
        assignment=assignment,
        pairing=pairing,
        kind=FeedbackKind.SELF if direction == "self" else FeedbackKind.PEER,
        source=FeedbackSource.IMPORTED,
        author=author,
        subject=subject,
        brought_by=brought_by,
        submission=_attempt_meant(attempts, reading, pairing),
        reading=reading,
        misfits=_misfits(reading, direction, attempts, assignment, pairing),
    )


def _sides(
    direction: Direction, brought_by: Enrollment, pairing: Pairing | None
) -> tuple[Enrollment | None, Enrollment | None]:
    """(author, subject); null where an imported report does not tell."""
    match direction:
        case "self":
            return brought_by, brought_by
        case "received":
            return None, brought_by
        case "generated":
            return brought_by, pairing.auditee if pairing else None


def _refuse_known(
    assignment: Assignment, brought_by: Enrollment, digest: str, pairing: Pairing | None
) -> None:
    """The same file stands once for whoever brought it, and once among what they received."""
    here = FeedbackReport.objects.filter(assignment=assignment)
    mine = Q(brought_by=brought_by, pairing=pairing) | Q(subject=brought_by)
    if here.filter(mine, original_sha256=digest).exists():
        raise FeedbackRefused(FILE, "already_imported", "This very file was brought along before.")
    if here.filter(brought_by=brought_by).count() >= MOST_REPORTS:
        sentence = f"At most {MOST_REPORTS} reports are kept of one student at one assignment."
        raise FeedbackRefused(FILE, "too_many_reports", sentence)


def _attempts_of(assignment: Assignment, subject: Enrollment | None) -> list[Submission]:
    """Newest first; none where nobody knows whose work it is."""
    if subject is None:
        return []
    return list(
        Submission.objects.filter(assignment=assignment, student=subject).order_by("-attempt")
    )


def _attempt_meant(
    attempts: list[Submission], reading: dict[str, Any], pairing: Pairing | None
) -> Submission | None:
    """The one whose commit the report names, else the newest: always that where whoever brought it does not know whose
    work it is, or they would learn by the attempt that they have named a commit of it."""
    if pairing is not None and hides_other_side(pairing.round.anonymity, "author"):
        return next(iter(attempts), None)
    named = [
        each for each in attempts if has_commit(reading, Work(each.repo_url, each.resolved_commit))
    ]
    return next(iter([*named, *attempts]), None)


def _misfits(
    reading: dict[str, Any],
    direction: Direction,
    attempts: list[Submission],
    assignment: Assignment,
    pairing: Pairing | None,
) -> list[dict[str, str]]:
    version = (pairing and pairing.round.rubric_version) or assignment.rubric_version
    unmatched = engine_imports.unmatched_criteria(reading, version.document)
    return misfits_of(reading, direction, works_of(attempts), unmatched=unmatched)


def _name(name: str) -> str:
    """The file's own name, without its folders and what cannot be printed."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable())[:255] or "report"


def mark_read(*, report: FeedbackReport, by: User) -> bool:
    """Whether this was the first time. Of a report on one's own auditor's there is nothing to tell."""
    if report.kind != FeedbackKind.PEER or report.read_at is not None:
        return False
    with transaction.atomic():
        unread = FeedbackReport.objects.filter(pk=report.pk, read_at=None)
        if not unread.update(read_at=timezone.now()):
            return False
        record_activity(
            organization=report.organization_id, actor=by, verb="feedback.read", about=report
        )
    return True
