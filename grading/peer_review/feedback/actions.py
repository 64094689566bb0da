"""Imported reports of students' own auditors: kept as they are, marked imported and unsigned."""

from __future__ import annotations

import hashlib
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import FeedbackKind, FeedbackSource
from grading.core.errors import FeedbackRefused
from grading.core.pairing_access import hides_other_side
from grading.core.view_as import is_viewing
from grading.engine import imports as engine_imports
from grading.findings.actions import record_imported
from grading.models import Assignment, Enrollment, FeedbackReport, Pairing, Submission
from grading.peer_review.actions import WHOLE_FORM, notify_subject_of_report, refuse_unless_active
from grading.peer_review.feedback.edition_jobs import plan_edition
from grading.peer_review.feedback.import_mismatches import (
    Direction,
    Work,
    has_commit,
    mismatches_of,
)
from grading.peer_review.feedback.queries import redacted_copy_of

MAX_BYTES = 2_000_000
# Per student and assignment: five peers in five rounds, and each report more than once.
MAX_REPORTS = 60
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
    repository: str = "",
) -> FeedbackReport:
    """Import a report; mismatches with the work or the rubric are flagged, never refused.

    `origin` is “upload” or a path in the student's `repository`, where the platform found it (`by`
    is then None). Raises FeedbackRefused: not_yours,
    pairing_ended, round_not_started, cohort_over, too_many_reports, already_imported, and the
    errors of the parser (field “file”).
    """
    text = _clean_text(text)
    # Parsed before the transaction, so that a large report does not hold the locks.
    reading = engine_imports.read_report_text(text, name=name)
    if pairing is not None:
        _refuse_unless_auditor(pairing, direction, brought_by)

    digest = hashlib.sha256(text.encode()).hexdigest()
    with transaction.atomic():
        if pairing is not None:
            # Ending a pairing locks it too: no report arrives under an ended one.
            Pairing.objects.select_for_update(no_key=True).get(pk=pairing.pk)
            refuse_unless_active(pairing)
        # Two uploads of one file wait for each other.
        Enrollment.objects.select_for_update(no_key=True).get(pk=brought_by.pk)
        _refuse_duplicate(assignment, brought_by, digest, pairing)

        report = _new_report(assignment, direction, brought_by, pairing, reading)
        report.origin, report.original, report.original_name = (
            origin[:1024],
            text,
            _clean_name(name),
        )
        report.original_sha256, report.repository = digest, repository
        report.save(force_insert=True)
        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="feedback.found" if repository else "feedback.imported",
            about=report,
            origin=origin[:200],
            misfits=[misfit["code"] for misfit in report.misfits],
        )

        # The job of a long one does both when the subject has something to read.
        if not plan_edition(report=report):
            copy = redacted_copy_of(report, side="subject")
            record_imported(report=report, reading=copy.reading)
            # Any other report was imported by its subject, who knows about it.
            if direction == "generated":
                notify_subject_of_report(report=report)
    return report


def works_of(submissions: list[Submission]) -> list[Work]:
    return [Work(row.repo_url, row.resolved_commit) for row in submissions]


def _clean_text(text: str) -> str:
    # The form limits uploads; this also limits files from repositories.
    if len(text.encode(errors="replace")) > MAX_BYTES:
        raise FeedbackRefused(
            FILE, "report_too_large", f"The limit is {MAX_BYTES // 1_000_000} MB."
        )
    if not text.strip():
        raise FeedbackRefused(FILE, "report_empty", "This file is empty.")
    # PostgreSQL stores no NUL character in a text.
    if "\x00" in text:
        raise FeedbackRefused(
            FILE, "report_no_text", "This is not a text file. Upload Markdown or JSON."
        )
    return text


def _refuse_unless_auditor(pairing: Pairing, direction: Direction, brought_by: Enrollment) -> None:
    """Only the auditor of a pairing imports reports under it: nobody else speaks for them."""
    if direction != "generated" or pairing.auditor_id != brought_by.pk:
        raise FeedbackRefused(
            WHOLE_FORM, "not_yours", "Only the auditor can upload a report under this pairing."
        )


def _new_report(
    assignment: Assignment,
    direction: Direction,
    brought_by: Enrollment,
    pairing: Pairing | None,
    reading: dict[str, Any],
) -> FeedbackReport:
    """Return the unsaved row, without the file."""
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
        submission=_matching_attempt(attempts, reading, pairing),
        reading=reading,
        misfits=_mismatches(reading, direction, attempts, assignment, pairing),
    )


def _sides(
    direction: Direction, brought_by: Enrollment, pairing: Pairing | None
) -> tuple[Enrollment | None, Enrollment | None]:
    """Return (author, subject); None where an imported report does not say."""
    match direction:
        case "self":
            return brought_by, brought_by
        case "received":
            return None, brought_by
        case "generated":
            return brought_by, pairing.auditee if pairing else None


def _refuse_duplicate(
    assignment: Assignment, brought_by: Enrollment, digest: str, pairing: Pairing | None
) -> None:
    """Refuse a file that the student has imported or received already, and too many."""
    rows = FeedbackReport.objects.filter(assignment=assignment)
    own = Q(brought_by=brought_by, pairing=pairing) | Q(subject=brought_by)
    if rows.filter(own, original_sha256=digest).exists():
        raise FeedbackRefused(FILE, "already_imported", "This file has already been uploaded.")
    if rows.filter(brought_by=brought_by).count() >= MAX_REPORTS:
        sentence = f"The limit is {MAX_REPORTS} reports per student and assignment."
        raise FeedbackRefused(FILE, "too_many_reports", sentence)


def _attempts_of(assignment: Assignment, subject: Enrollment | None) -> list[Submission]:
    """Return the subject's attempts, newest first; none for an unknown subject."""
    if subject is None:
        return []
    return list(
        Submission.objects.filter(assignment=assignment, student=subject).order_by("-attempt")
    )


def _matching_attempt(
    attempts: list[Submission], reading: dict[str, Any], pairing: Pairing | None
) -> Submission | None:
    """Return the attempt whose commit the report names, else the newest.

    Always the newest if the importer must not know the subject: otherwise the attempt would
    confirm a commit that they guessed.
    """
    if pairing is not None and hides_other_side(pairing.round.anonymity, "author"):
        return next(iter(attempts), None)
    matching = [
        attempt
        for attempt in attempts
        if has_commit(reading, Work(attempt.repo_url, attempt.resolved_commit))
    ]
    return next(iter([*matching, *attempts]), None)


def _mismatches(
    reading: dict[str, Any],
    direction: Direction,
    attempts: list[Submission],
    assignment: Assignment,
    pairing: Pairing | None,
) -> list[dict[str, str]]:
    version = (pairing and pairing.round.rubric_version) or assignment.rubric_version
    unmatched = engine_imports.unmatched_criteria(reading, version.document)
    return mismatches_of(reading, direction, works_of(attempts), unmatched_criteria=unmatched)


def _clean_name(name: str) -> str:
    """Return the name of the file without folders and unprintable characters."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(c for c in last if c.isprintable())[:255] or "report"


def mark_read(*, report: FeedbackReport, by: User) -> bool:
    """Record that the subject has read a peer's report; return True the first time."""
    if is_viewing() or report.kind != FeedbackKind.PEER or report.read_at is not None:
        return False
    with transaction.atomic():
        unread = FeedbackReport.objects.filter(pk=report.pk, read_at=None)
        # Of two tabs only one updates the row: the Activity log has one first reading.
        if not unread.update(read_at=timezone.now()):
            return False
        record_activity(
            organization=report.organization_id, actor=by, verb="feedback.read", about=report
        )
    return True
