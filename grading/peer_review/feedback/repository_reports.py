"""The reports that lie in a submitted repository: audit/report_onself_generated and its brothers, in any spelling.

The latest report of the student's own audit says where they are (facts.minmax); a job brings them along. What was
exported from this site and committed there (views/peers/audit_zip.py names such files after their record) is known already.
"""

from __future__ import annotations

import re
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django_rq import get_queue

from grading.audits.queries import report_of
from grading.core.activity import record_activity
from grading.core.audit_queue import JobHealth, health_of
from grading.core.enums import Anonymity, AuditKind
from grading.core.errors import FeedbackRefused, InputRefused
from grading.core.fair_turns import BULK
from grading.core.pairing_access import granted_pairings
from grading.engine import imports as engine_imports
from grading.engine.report import Report, parse_report
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
from grading.peer_review.feedback.import_mismatches import Direction, is_of

JOB = "grading.jobs.import_reports"
JOB_SECONDS = 5 * 60
DIRECTIONS: tuple[Direction, ...] = ("generated", "self", "received")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


def search_on_commit(*, audit: Audit, report: Report) -> None:
    """After a student's own audit: have the reports fetched that it has seen, where peers take part at all."""
    if audit.kind != AuditKind.SELF or not any(paths_in(report).values()):
        return
    assignment = audit.submission.assignment_id
    if PairingRound.objects.filter(assignment=assignment).exists():
        transaction.on_commit(lambda: _enqueue(audit), robust=True)


def search_repository(*, assignment: Assignment, student: Enrollment) -> None:
    """Have the student's latest audited repository searched now; nothing is written, so there is no row in the log.

    Raises FeedbackRefused (nothing_audited, nothing_there) and redis.RedisError.
    """
    audit = _latest_audit(assignment, student)
    if audit is None:
        raise FeedbackRefused(
            "", "nothing_audited", "Hand in first: the audit says where the reports are."
        )
    if not any(paths_in(report_of(audit) or Report()).values()):
        sentence = (
            "No report was seen in your repository: they belong into audit/, in the three folders."
        )
        raise FeedbackRefused("", "nothing_there", sentence)
    _enqueue(audit)


def import_from_repository(*, audit_id: UUID | str) -> None:
    """Bring along what lies in the repository of this audit and is not known yet; the log says what could not be read.

    What was generated goes to the pairing whose repository it names, what was received stays without an author.
    Each report is taken in a transaction of its own: broken off and begun again, it goes on where it was.
    """
    related = Audit.objects.select_related("submission__assignment", "submission__student__user")
    audit = related.get(pk=audit_id)
    where = paths_in(parse_report(audit.report or {}))
    taken, unread = 0, []
    for each in _found_in(audit):
        problem = each.problem if each.text is None else _taken(audit, where, each.path, each.text)
        taken += problem is None
        unread += [{"path": each.path, "why": problem}] if problem else []
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


def _taken(
    audit: Audit, where: dict[Direction, tuple[str, ...]], path: str, text: str
) -> str | None:
    """None when the report was taken, else why it was not: “” for what is known already."""
    student = audit.submission.student
    direction = next((kind for kind in DIRECTIONS if path in where[kind]), None)
    if direction is None or _is_our_own(path, student):
        return ""
    try:
        _take(audit.submission.assignment, student, direction, path, text)
    except FeedbackRefused as refused:
        return "" if refused.code == "already_imported" else refused.sentence
    return None


def _found_in(audit: Audit) -> list[engine_imports.RepositoryReport]:
    """Where the repository cannot be had any more, that is what could not be read."""
    try:
        return engine_imports.repository_reports(audit)
    except InputRefused as refused:
        return [engine_imports.RepositoryReport("the repository", None, refused.sentence)]


def paths_in(report: Report) -> dict[Direction, tuple[str, ...]]:
    """Return where the report saw audits of peers, of oneself and by peers."""
    files = report.audit_files
    return {"generated": files.generated, "self": files.own, "received": files.received}


def _take(
    assignment: Assignment, student: Enrollment, direction: Direction, path: str, text: str
) -> None:
    pairing = _pairing_of(assignment, student, text, path) if direction == "generated" else None
    import_feedback(
        assignment=assignment,
        direction=direction,
        brought_by=student,
        text=text,
        name=path,
        origin=path,
        by=student.user,
        pairing=pairing,
    )


def _pairing_of(
    assignment: Assignment, student: Enrollment, text: str, path: str
) -> Pairing | None:
    """The newest pairing on whose repository the report is. Not in a double-blind round: whoever named repositories
    one after the other would learn whose work they audit."""
    reading = engine_imports.read_report_text(text, name=path)
    theirs = granted_pairings().filter(round__assignment=assignment, auditor=student)
    open_ones = theirs.exclude(round__anonymity=Anonymity.DOUBLE_BLIND)
    for pairing in open_ones.select_related("round", "auditee").order_by("-round__number", "pk"):
        attempts = Submission.objects.filter(assignment=assignment, student=pairing.auditee_id)
        if is_of(reading, works_of(list(attempts))):
            return pairing
    return None


def _is_our_own(path: str, student: Enrollment) -> bool:
    keys = [UUID(each) for each in _UUID.findall(path.lower())]
    if not keys:
        return False
    theirs = FeedbackReport.objects.filter(Q(author=student) | Q(subject=student), pk__in=keys)
    return (
        theirs.exists() or Audit.objects.filter(submission__student=student, pk__in=keys).exists()
    )


def _latest_audit(assignment: Assignment, student: Enrollment) -> Audit | None:
    own = Audit.objects.filter(submission__assignment=assignment, submission__student=student)
    reported = own.exclude(kind=AuditKind.PEER).exclude(report=None).defer("report")
    return reported.order_by("-submission__attempt", "-created_at").first()


def _enqueue(audit: Audit) -> None:
    """In the front of the bulk queue: somebody may be waiting, but nobody's audit should."""
    job = f"imports-{audit.pk}"
    if health_of(BULK, job) is JobHealth.ALIVE:
        return
    get_queue(BULK, commit_mode="auto").enqueue_call(
        JOB,
        args=(audit.organization_id, str(audit.pk)),
        job_id=job,
        timeout=JOB_SECONDS,
        result_ttl=0,
        at_front=True,
    )
