"""The demo's peer review of the second assignment: reports, answered findings, and open duties.

Both peers audit one student's work now; the other pairings are left to the person who tries the
demo.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

from django.contrib.auth.models import User
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import Anonymity, ResponseKind
from grading.demo.first_week import wait_for
from grading.demo.people import STUDENTS
from grading.findings.answers import answer_finding
from grading.jobs import run_audit
from grading.models import (
    Assignment,
    Audit,
    Enrollment,
    FeedbackReport,
    Finding,
    FindingResponse,
    PairingRound,
)
from grading.peer_review.actions import run_peer_audit
from grading.peer_review.exchange.queries import is_over
from grading.peer_review.feedback.actions import mark_read
from grading.peer_review.rounds.actions import start_round

AUDITED = STUDENTS[1]
# The same pairs at every run.
SEED = "northfield"
PEERS = 2
ROUND_LASTS = timedelta(weeks=2)
ANSWERS = (
    (ResponseKind.WILL_FIX, ""),
    (ResponseKind.DEFERRED, "The parser has to be rewritten first; that is next week."),
    (
        ResponseKind.CONTESTED,
        "The rubric asks for this in the report, and it stands there on page 1.",
    ),
)


def seed_peers(assignment: Assignment, by: User) -> None:
    """Make the missing parts, unless the cohort is over. Call it outside any scope."""
    with scope(organization=assignment.organization):
        if is_over(assignment.cohort):
            return
        round_ = PairingRound.objects.filter(assignment=assignment).first() or _round(
            assignment, by
        )
        audits = _audits_of(round_)

    # A worker may be faster: the job of an audit that was taken does nothing.
    for audit in audits:
        run_audit(str(audit.pk), 1)

    with scope(organization=assignment.organization):
        for audit in audits:
            wait_for(audit)
        _answer(Enrollment.objects.get(cohort=assignment.cohort, email=AUDITED.email), assignment)


def _round(assignment: Assignment, by: User) -> PairingRound:
    now, last = timezone.now(), assignment.cohort.ends_on
    ends_at = now + ROUND_LASTS
    # A round does not outlast its cohort.
    if last is not None:
        ends_at = min(ends_at, datetime.combine(last, time.max, tzinfo=now.tzinfo))

    emails = [student.email for student in STUDENTS]
    return start_round(
        assignment=assignment,
        peers=PEERS,
        anonymity=Anonymity.DOUBLE_BLIND,
        starts_at=now,
        ends_at=ends_at,
        students=list(Enrollment.objects.filter(cohort=assignment.cohort, email__in=emails)),
        by=by,
        seed=SEED,
    )


def _audits_of(round_: PairingRound) -> list[Audit]:
    """Start the missing audits of the one student's work."""
    pairings = round_.pairings.filter(
        auditee__email=AUDITED.email, ended_at=None, reports=None
    ).select_related("auditor__user")
    reports = [run_peer_audit(pairing=pairing, by=pairing.auditor.user) for pairing in pairings]
    return [report.audit for report in reports if report.audit is not None]


def _answer(student: Enrollment, assignment: Assignment) -> None:
    """Mark one of two reports as read and answer some of its findings, unless one has an answer."""
    reports = FeedbackReport.objects.filter(assignment=assignment, subject=student).order_by(
        "created_at"
    )
    report = reports.first()
    answered = FindingResponse.objects.filter(
        finding__assignment=assignment, finding__student=student
    )
    if report is None or student.user is None or answered.exists():
        return

    mark_read(report=report, by=student.user)
    findings = Finding.objects.filter(sightings__audit=report.audit_id, sightings__present=True)

    # Only the first findings are answered; the others are left to the person who tries it.
    for finding, (kind, reason) in zip(
        findings.order_by("criterion_id", "key"), ANSWERS, strict=False
    ):
        answer_finding(finding=finding, kind=kind, reason=reason, by=student.user)
