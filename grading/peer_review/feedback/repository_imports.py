"""Import of reports from a submitted repository: audit/report_onself_generated and the like.

The latest report on the student's own work lists their paths; a job imports them. Reports exported
from this site and committed there (exchange/audit_folder.py names them by key) are skipped.
"""

from __future__ import annotations

import re
from uuid import UUID

from django.db import transaction

from grading.audits.queries import report_of
from grading.core.activity_writer import record_activity
from grading.core.audit_queue import JobHealth, health_of
from grading.core.enums import JUDGED_STATES, Anonymity, AuditKind
from grading.core.errors import FeedbackRefused, InputRefused
from grading.core.fair_turns import BULK
from grading.core.job_queues import job_queue
from grading.core.pairing_access import granted_pairings
from grading.engine import imports as engine_imports
from grading.engine.report import Report, parse_report
from grading.findings.actions import restore_imported, retire_imported
from grading.models import (
    Assignment,
    Audit,
    Enrollment,
    FeedbackReport,
    Pairing,
    PairingRound,
    Submission,
)
from grading.peer_review.feedback.actions import import_feedback, works_of
from grading.peer_review.feedback.edition_keys import is_exported
from grading.peer_review.feedback.import_mismatches import Direction, is_of, is_same_repository
from grading.peer_review.feedback.queries import redacted_copy_of

JOB = "grading.jobs.import_reports"
JOB_SECONDS = 5 * 60
DIRECTIONS: tuple[Direction, ...] = ("generated", "self", "received")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def search_repository_on_commit(*, audit: Audit, report: Report) -> None:
    """Queue the import of the reports that an own audit has listed, if there are rounds."""
    if audit.kind != AuditKind.SELF or not report.audit_files.paths:
        return
    assignment = audit.submission.assignment_id
    if PairingRound.objects.filter(assignment=assignment).exists():
        # Robust: if the queue is down the audit still counts, and the student can search again.
        transaction.on_commit(lambda: _enqueue(audit), robust=True)


def follow_repository(*, audit: Audit) -> None:
    """Drop the findings of reports from repositories that the student no longer submits.

    Those of reports from the audited repository come back. Call it in the transaction that ends
    the audit; an audit of an older attempt, of a peer or without a verdict changes nothing.
    """
    work = audit.submission
    attempts = Submission.objects.filter(assignment=work.assignment_id, student=work.student_id)
    is_newest = not attempts.filter(attempt__gt=work.attempt).exists()
    if audit.kind == AuditKind.PEER or audit.state not in JUDGED_STATES or not is_newest:
        return

    reports = FeedbackReport.objects.filter(
        assignment=work.assignment_id, subject=work.student_id, brought_by=work.student_id
    )
    for report in reports.exclude(repository="").order_by("created_at", "pk"):
        if is_same_repository(report.repository, work.repo_url):
            restore_imported(
                report=report, reading=redacted_copy_of(report, side="subject").reading
            )
        else:
            retire_imported(report=report)


def is_retired(report: FeedbackReport) -> bool:
    """Return whether an own report is from another repository than the audited work's."""
    if not report.repository or report.subject is None or report.subject_id != report.brought_by_id:
        return False
    audit = _latest_audit(report.assignment, report.subject)
    return audit is not None and not is_same_repository(
        report.repository, audit.submission.repo_url
    )


def search_repository(*, assignment: Assignment, student: Enrollment) -> None:
    """Queue an import from the student's latest audited repository. Writes nothing itself.

    Raises FeedbackRefused (nothing_audited, nothing_there) and redis.RedisError.
    """
    audit = _latest_audit(assignment, student)
    if audit is None:
        raise FeedbackRefused(
            "", "nothing_audited", "Submit first: the audit shows where the reports are."
        )
    if not (report_of(audit) or Report()).audit_files.paths:
        sentence = "No reports were found in the three folders of audit/ in your repository."
        raise FeedbackRefused("", "nothing_there", sentence)
    _enqueue(audit)


def import_from_repository(*, audit_id: UUID | str) -> None:
    """Import the new reports in the repository of this audit; log what could not be read.

    Generated reports go to the pairing whose repository they name; received ones have no author.
    Each report is imported in its own transaction: after a crash the job continues where it was.
    """
    related = Audit.objects.select_related("submission__assignment", "submission__student__user")
    audit = related.get(pk=audit_id)
    paths = paths_in(parse_report(audit.report or {}))
    taken, unread = 0, []
    for report in _reports_in(audit):
        if report.text is None:
            problem: str | None = report.problem
        else:
            problem = _import(audit, paths, report.path, report.text)
        # A report known already and an export of this site (“”) count as neither.
        taken += problem is None
        unread += [{"path": report.path, "why": problem}] if problem else []
    with transaction.atomic():
        record_activity(
            organization=audit.organization_id,
            actor=None,
            verb="feedback.searched",
            about=audit.submission,
            taken=taken,
            unread=unread,
            commit=audit.submission.resolved_commit,
        )


def _import(
    audit: Audit, paths: dict[Direction, tuple[str, ...]], path: str, text: str
) -> str | None:
    """Import one report; return None, or the reason why not (“” for a known report)."""
    student = audit.submission.student
    direction = next((kind for kind in DIRECTIONS if path in paths[kind]), None)
    if direction is None or _is_export(path, student):
        return ""
    try:
        _import_file(audit.submission, direction, path, text)
    except FeedbackRefused as refusal:
        return "" if refusal.code == "already_imported" else refusal.sentence
    return None


def _reports_in(audit: Audit) -> list[engine_imports.RepositoryReport]:
    """Return the reports; an unreachable repository is returned as unreadable."""
    try:
        return engine_imports.repository_reports(audit)
    except InputRefused as refusal:
        return [engine_imports.RepositoryReport("the repository", None, refusal.sentence)]


def paths_in(report: Report) -> dict[Direction, tuple[str, ...]]:
    """Return the paths of reports on peers, on oneself and by peers."""
    files = report.audit_files
    return {"generated": files.generated, "self": files.own, "received": files.received}


def _import_file(submission: Submission, direction: Direction, path: str, text: str) -> None:
    assignment, student = submission.assignment, submission.student
    pairing = _pairing_of(assignment, student, text, path) if direction == "generated" else None
    import_feedback(
        assignment=assignment,
        direction=direction,
        brought_by=student,
        text=text,
        name=path,
        origin=path,
        # No person brought it: the platform found it.
        by=None,
        pairing=pairing,
        repository=submission.repo_url,
    )


def _pairing_of(
    assignment: Assignment, student: Enrollment, text: str, path: str
) -> Pairing | None:
    """Return the newest pairing whose repository the report names.

    None in a double-blind round: an auditor could try repositories until one matches and learn
    whose work they audit.
    """
    reading = engine_imports.read_report_text(text, name=path)
    pairings = granted_pairings().filter(round__assignment=assignment, auditor=student)
    identified = pairings.exclude(round__anonymity=Anonymity.DOUBLE_BLIND)
    for pairing in identified.select_related("round", "auditee").order_by("-round__number", "pk"):
        attempts = Submission.objects.filter(assignment=assignment, student=pairing.auditee_id)
        if is_of(reading, works_of(list(attempts))):
            return pairing
    return None


def _is_export(path: str, student: Enrollment) -> bool:
    keys = [UUID(match) for match in _UUID.findall(path.lower())]
    if not keys:
        return False
    # The key must be of the student's own record: anybody can write one into a file name.
    own_audits = Audit.objects.filter(submission__student=student, pk__in=keys)
    return own_audits.exists() or is_exported(keys, student)


def _latest_audit(assignment: Assignment, student: Enrollment) -> Audit | None:
    own = Audit.objects.filter(submission__assignment=assignment, submission__student=student)
    reported = own.exclude(kind=AuditKind.PEER).exclude(report=None).defer("report")
    return reported.order_by("-submission__attempt", "-created_at").first()


def _enqueue(audit: Audit) -> None:
    """Enqueue at the front of the bulk queue: a student may wait, but no audit should."""
    # One job for each audit: a second click finds the first one alive.
    job = f"imports-{audit.pk}"
    if health_of(BULK, job) is JobHealth.ALIVE:
        return
    job_queue(BULK).enqueue_call(
        JOB,
        args=(audit.organization_id, str(audit.pk)),
        job_id=job,
        timeout=JOB_SECONDS,
        result_ttl=0,
        at_front=True,
    )
