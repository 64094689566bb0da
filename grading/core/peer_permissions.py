"""Access checks of peer review: `access_<thing>(user, ...)` as in core/permissions.py."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404

from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import STAFF_ROLES, TEACHING_ROLES, FeedbackKind
from grading.core.pairing_access import PairingSide, ReportSide, is_granted, is_running
from grading.core.permissions import Level, Somebody, StaffLevel, may, role_of
from grading.core.time_zones import follow_cohort
from grading.models import Complaint, FeedbackReport, Pairing, PairingRound


def access_complaint(
    user: Somebody, complaint_id: int, *, level: StaffLevel = "staff"
) -> Complaint:
    """Return a complaint, for staff; its student reads it on the report's page."""
    rows = Complaint.objects.select_related(
        "organization",
        "student__user",
        "decided_by",
        "report__organization",
        "report__assignment__cohort",
    ).defer("report__original", "report__reading")

    complaint = rows.filter(pk=complaint_id).first()
    if complaint is None or not may(user, complaint.organization, level):
        raise Http404
    follow_cohort(complaint.report.assignment.cohort)
    return complaint


def access_round(
    user: Somebody, cohort: str, assignment: str, number: int, *, level: Level = "staff"
) -> PairingRound:
    """Return a round by its number: any for staff; at level "student" for members while it runs."""
    rows = PairingRound.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "assignment__rubric_version__rubric",
        "rubric_version__rubric",
    )

    filters = {"assignment__cohort__slug": cohort, "assignment__slug": assignment, "number": number}
    round_ = rows.filter(**filters).first()
    if round_ is None or not (may(user, round_.organization, level) and _is_member(user, round_)):
        raise Http404
    follow_cohort(round_.assignment.cohort)
    return round_


def access_pairing(user: Somebody, pairing_id: UUID | str) -> tuple[Pairing, PairingSide]:
    """Return a pairing with the user's side: always for staff, for its students while it is active."""
    rows = Pairing.objects.select_related(
        "organization",
        "round__assignment__organization",
        "round__assignment__cohort__organization",
        "round__assignment__rubric_version__rubric",
        "round__rubric_version__rubric",
        "auditor__user",
        "auditee__user",
    )

    pairing = rows.filter(pk=pairing_id).first()
    side = _side_of_pairing(user, pairing) if pairing is not None else None
    if pairing is None or side is None:
        raise Http404
    follow_cohort(pairing.round.assignment.cohort)
    return pairing, side


def _report(report: UUID) -> QuerySet[FeedbackReport, FeedbackReport]:
    rows = FeedbackReport.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "pairing__round__assignment__cohort",
        "author__user",
        "subject__user",
        "brought_by",
        "submission",
        "audit",
    ).defer("audit__report", "original", "reading")
    return rows.filter(pk=report)


REPORT = OrganizationQuery(_report, report=UUID)


def access_feedback(user: Somebody, report_id: UUID) -> tuple[FeedbackReport, ReportSide]:
    """Return a feedback report with the user's side of it.

    Staff have access; an assistant who is its author or subject has it as that student. Under a
    pairing its two students have it while the pairing is active, the subject once there is a
    report. Without a pairing it is the student who uploaded it, or who audited their own work.
    peer_review.feedback.queries.redacted_copy_of says what each may read.
    """
    report = REPORT.row(report=report_id)
    side = _side_of_report(user, report) if report is not None else None
    if report is None or side is None:
        raise Http404
    follow_cohort(report.assignment.cohort)
    return report, side


def access_reported(user: Somebody, report_id: UUID | str) -> FeedbackReport:
    """Return a report that the user reported as abusive, even if the pairing is over."""
    if report := _reported_by(user.pk, report_id):
        return report
    raise Http404


def _is_member(user: Somebody, round_: PairingRound) -> bool:
    if role_of(user, round_.organization) in STAFF_ROLES:
        return True
    memberships = round_.members.filter(student__user=user.pk, left_at=None)
    return is_running(round_) and memberships.exists()


def _side_of_pairing(user: Somebody, pairing: Pairing) -> PairingSide | None:
    role = role_of(user, pairing.organization)
    is_between = user.pk in (pairing.auditor.user_id, pairing.auditee.user_id)
    # An assistant reads a pairing of their own as its student.
    if role in TEACHING_ROLES or (role in STAFF_ROLES and not is_between):
        return "staff"
    if role is None or not is_granted(pairing):
        return None
    if pairing.auditor.user_id == user.pk:
        return "auditor"
    return "auditee" if pairing.auditee.user_id == user.pk else None


def _side_of_report(user: Somebody, report: FeedbackReport) -> ReportSide | None:
    role = role_of(user, report.organization)
    if role in TEACHING_ROLES or (role in STAFF_ROLES and not _is_involved(user, report)):
        return "staff"

    is_brought = report.brought_by is not None and report.brought_by.user_id == user.pk
    needs_no_pairing = report.kind != FeedbackKind.PEER or is_brought
    if role is None or not (
        is_granted(report.pairing) if report.pairing is not None else needs_no_pairing
    ):
        return None
    if report.author is not None and report.author.user_id == user.pk:
        return "author"
    is_theirs = report.subject is not None and report.subject.user_id == user.pk
    # Before that, nobody may learn that a peer is at work.
    has_arrived = report.audit is None or report.audit.has_report
    return "subject" if is_theirs and has_arrived else None


def _is_involved(user: Somebody, report: FeedbackReport) -> bool:
    """Return whether the report is by the user, or on their work; an assistant is no staff then."""
    people = (report.author, report.subject, report.brought_by)
    return any(person is not None and person.user_id == user.pk for person in people)


def _reported_by(user: int | None, report_id: UUID | str) -> FeedbackReport | None:
    """Return the report if this user has reported it as abusive."""
    rows = FeedbackReport.objects.select_related("organization", "assignment__cohort__organization")
    memberships = Complaint.objects.filter(student__user=user)
    return (
        rows.defer("original", "reading")
        .filter(pk=report_id, pk__in=memberships.values("report"))
        .first()
    )
