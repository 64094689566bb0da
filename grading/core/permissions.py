"""Access checks: the only way from a request to an object is `access_<thing>(user, ...)`.

A missing and a forbidden object both raise Http404, so a response never reveals what exists in
another organization. All but access_organization are called inside the scope that TenantMiddleware
entered. Levels: "student" may read their own objects, "staff" (owner, instructor, assistant) all of
them, "teacher" (owner, instructor) may also change them. An object of a cohort makes the cohort's zone that of the
page, if its reader chose none.
"""

from typing import Literal
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import OuterRef, Subquery
from django.http import Http404
from django_scopes import scope

from grading.core.enums import STAFF_ROLES, TEACHING_ROLES, AuditKind, FeedbackKind, Role
from grading.core.errors import OrganizationClosed
from grading.core.invitation_links import read_token
from grading.core.own_addresses import addresses_of
from grading.core.pairing_access import PairingSide, ReportSide, is_granted, is_running
from grading.core.request_cache import cached
from grading.core.requests import MemberRequest
from grading.core.rls.rls_scope import as_person
from grading.core.time_zones import follow_cohort
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    BulkRun,
    Cohort,
    Complaint,
    Enrollment,
    FeedbackReport,
    Finding,
    Invitation,
    Membership,
    Organization,
    Pairing,
    PairingRound,
    RubricVersion,
    Submission,
)

Level = Literal["student", "staff", "teacher"]
StaffLevel = Literal["staff", "teacher"]
Somebody = AbstractBaseUser | AnonymousUser
_ROLES: dict[Level, tuple[Role, ...]] = {
    "student": tuple(Role),
    "staff": STAFF_ROLES,
    "teacher": TEACHING_ROLES,
}


def role_of(user: Somebody, organization: Organization) -> Role | None:
    """Return the role of a signed-in, active user in the organization, or None."""
    if not user.is_authenticated or not user.is_active:
        return None
    key = user.pk
    return cached("role", key, organization.pk, ask=lambda: _load_role(key, organization))


def may(user: Somebody, organization: Organization, level: Level) -> bool:
    """Return whether the user has a role of this level in the organization."""
    return role_of(user, organization) in _ROLES[level]


def staffed_organizations(user: Somebody) -> list[Organization]:
    """Return the organizations whose rows a user may see in the admin.

    They are those where the user teaches, and all for the operator (a superuser).
    """
    if not isinstance(user, User) or not user.is_active:
        return []
    if user.is_superuser:
        return list(Organization.objects.all())
    with as_person(user):
        roles = Membership.objects.filter(user=user.pk, role__in=TEACHING_ROLES)
        taught = [membership.organization for membership in roles.select_related("organization")]
    return [organization for organization in taught if organization.is_usable]


def access_organization(user: Somebody, slug: str, *, level: Level = "student") -> Organization:
    """Return an organization in which the user has at least this level.

    Raises OrganizationClosed for the founder of one that waits for approval; to others it is
    missing.
    """
    organization = _organization_and_role(user, slug)
    if organization is None or not may(user, organization, level):
        raise Http404
    if organization.is_usable:
        return organization
    if organization.founder_id == user.pk:
        raise OrganizationClosed(organization)
    raise Http404


def _organization_and_role(user: Somebody, slug: str) -> Organization | None:
    """Return an organization, and keep the user's role in it for the length of the request."""
    with as_person(user):
        roles = Membership.objects.filter(organization=OuterRef("pk"), user=user.pk)
        rows = Organization.objects.annotate(role=Subquery(roles.values("role")[:1]))
        organization = rows.filter(slug=slug).first()
    if organization is not None and user.is_active:
        role = vars(organization)["role"]
        cached("role", user.pk, organization.pk, ask=lambda: Role(role) if role else None)
    return organization


def access_invitation(user: Somebody, invitation_id: int) -> Invitation:
    """Return an invitation of one of the user's addresses, whatever was answered."""
    if not isinstance(user, User):
        raise Http404
    with as_person(user):
        rows = Invitation.objects.select_related("organization").filter(pk=invitation_id)
        invitation = rows.first()
    # The policy also shows those of addresses that are not verified.
    if invitation is None or invitation.email not in addresses_of(user):
        raise Http404
    return invitation


def access_invitation_by_link(token: str) -> Invitation:
    """Return the invitation that a letter's link opens, for anybody who has the letter."""
    organization_id, invitation_id = read_token(token)
    with scope(organization=organization_id):
        invitation = (
            Invitation.objects.select_related("organization").filter(pk=invitation_id).first()
        )
    if invitation is None:
        raise Http404
    return invitation


def access_cohort(user: Somebody, slug: str, *, level: Level = "student") -> Cohort:
    """Return a cohort: any for staff, their own for students."""
    cohort = Cohort.objects.select_related("organization").filter(slug=slug).first()
    if cohort is None or not _may_in_cohort(user, cohort, level):
        raise Http404
    follow_cohort(cohort)
    return cohort


def access_assignment(
    user: Somebody, cohort: str, slug: str, *, level: Level = "student"
) -> Assignment:
    """Return an assignment by the slugs of its cohort and its own."""
    rows = Assignment.objects.select_related(
        "organization", "cohort__organization", "rubric_version__rubric"
    )

    assignment = rows.filter(cohort__slug=cohort, slug=slug).first()
    if assignment is None or not _may_in_cohort(user, assignment.cohort, level):
        raise Http404
    follow_cohort(assignment.cohort)
    return assignment


def access_enrollment(user: Somebody, cohort: Cohort) -> Enrollment:
    """Return the user's own enrollment in the cohort."""
    enrollment = _enrollment_of(user, cohort)
    if enrollment is None or not may(user, cohort.organization, "student"):
        raise Http404
    return enrollment


def access_submission(
    user: Somebody, submission_id: UUID | str, *, level: Level = "student"
) -> Submission:
    """Return a submission: any for staff, their own for students."""
    rows = Submission.objects.select_related(
        "organization", "assignment__cohort__organization", "student"
    )

    submission = rows.filter(pk=submission_id).first()
    if submission is None or not _may_see_work(
        user, submission.student, submission.organization, level
    ):
        raise Http404
    follow_cohort(submission.assignment.cohort)
    return submission


def access_audit(user: Somebody, audit_id: UUID | str, *, level: Level = "student") -> Audit:
    """Return an audit: any for staff; for students those of their own submissions.

    A peer's audit is for staff alone: its two students read its edition (access_feedback).
    """
    rows = Audit.objects.select_related(
        "organization",
        "submission__student",
        "submission__organization",
        "submission__assignment__organization",
        "submission__assignment__cohort__organization",
        "rubric_version__rubric",
    )

    audit = rows.filter(pk=audit_id).first()
    if audit is not None and audit.kind == AuditKind.PEER and level == "student":
        level = "staff"
    if audit is None or not _may_see_work(
        user, audit.submission.student, audit.organization, level
    ):
        raise Http404
    follow_cohort(audit.submission.assignment.cohort)
    return audit


def access_bulk_run(user: Somebody, bulk_id: UUID | str, *, level: Level = "staff") -> BulkRun:
    """Return a bulk run, for staff."""
    rows = BulkRun.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "rubric_version__rubric",
        "started_by",
    )

    run = rows.filter(pk=bulk_id).first()
    if run is None or not may(user, run.organization, level):
        raise Http404
    follow_cohort(run.assignment.cohort)
    return run


def access_appeal(user: Somebody, appeal_id: int, *, level: Level = "student") -> Appeal:
    """Return an appeal: any for staff, their own for students."""
    rows = Appeal.objects.select_related(
        "organization",
        "decided_by",
        "submission__student__user",
        "submission__organization",
        "submission__assignment__organization",
        "submission__assignment__cohort__organization",
    )

    appeal = rows.filter(pk=appeal_id).first()
    if appeal is None or not _may_see_work(
        user, appeal.submission.student, appeal.organization, level
    ):
        raise Http404
    follow_cohort(appeal.submission.assignment.cohort)
    return appeal


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


def access_feedback(user: Somebody, report_id: UUID | str) -> tuple[FeedbackReport, ReportSide]:
    """Return a feedback report with the user's side of it.

    Staff always have access. Under a pairing its two students have it while the pairing is active,
    the subject once there is a report. Without a pairing it is the student who uploaded it, or who
    audited their own work. peer_review.feedback.queries.redacted_copy_of says what each may read.
    """
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

    report = rows.filter(pk=report_id).first()
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


def access_finding(user: Somebody, finding_id: UUID | str, *, level: Level = "student") -> Finding:
    """Return a finding: any for staff; for students those in their own work."""
    rows = Finding.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "student__user",
        "first_submission",
        "last_submission",
        "fixed_submission",
    )

    finding = rows.filter(pk=finding_id).first()
    if finding is None or not _may_see_work(user, finding.student, finding.organization, level):
        raise Http404
    follow_cohort(finding.assignment.cohort)
    return finding


def access_rubric_version(user: Somebody, version_id: int, *, level: StaffLevel) -> RubricVersion:
    """Return a version of the organization's rubrics, for staff."""
    version = (
        RubricVersion.objects.select_related("organization", "rubric").filter(pk=version_id).first()
    )
    if version is None or not may(user, version.organization, level):
        raise Http404
    return version


def _load_role(user: int, organization: Organization) -> Role | None:
    # access_organization needs the role before any scope is entered.
    with scope(organization=organization):
        role = Membership.objects.filter(user=user).values_list("role", flat=True).first()
    return Role(role) if role else None


def _may_in_cohort(user: Somebody, cohort: Cohort, level: Level) -> bool:
    role = role_of(user, cohort.organization)
    if role not in _ROLES[level]:
        return False
    return role in STAFF_ROLES or _enrollment_of(user, cohort) is not None


def _enrollment_of(user: Somebody, cohort: Cohort) -> Enrollment | None:
    if not user.is_authenticated:
        return None
    enrollments = Enrollment.objects.select_related("cohort").filter(cohort=cohort, user=user.pk)
    return cached("enrollment", user.pk, cohort.pk, ask=enrollments.first)


def _may_see_work(
    user: Somebody, student: Enrollment, organization: Organization, level: Level
) -> bool:
    role = role_of(user, organization)
    if role not in _ROLES[level]:
        return False
    return role in STAFF_ROLES or student.user_id == user.pk


def _is_member(user: Somebody, round_: PairingRound) -> bool:
    if role_of(user, round_.organization) in STAFF_ROLES:
        return True
    memberships = round_.members.filter(student__user=user.pk, left_at=None)
    return is_running(round_) and memberships.exists()


def _side_of_pairing(user: Somebody, pairing: Pairing) -> PairingSide | None:
    role = role_of(user, pairing.organization)
    if role in STAFF_ROLES:
        return "staff"
    if role is None or not is_granted(pairing):
        return None
    if pairing.auditor.user_id == user.pk:
        return "auditor"
    return "auditee" if pairing.auditee.user_id == user.pk else None


def _side_of_report(user: Somebody, report: FeedbackReport) -> ReportSide | None:
    role = role_of(user, report.organization)
    if role in STAFF_ROLES:
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


def _reported_by(user: int | None, report_id: UUID | str) -> FeedbackReport | None:
    """Return the report if this user has reported it as abusive."""
    rows = FeedbackReport.objects.select_related("organization", "assignment__cohort__organization")
    memberships = Complaint.objects.filter(student__user=user)
    return (
        rows.defer("original", "reading")
        .filter(pk=report_id, pk__in=memberships.values("report"))
        .first()
    )


def student_asked_for(request: MemberRequest, assignment: Assignment) -> Enrollment | None:
    """Return the user's enrollment; for staff the one in the query string, or None."""
    if not may(request.user, assignment.organization, "staff"):
        return access_enrollment(request.user, assignment.cohort)

    key = request.GET.get("student", "")
    if not key:
        return None

    # No row has the key 0: a word in the address is answered with 404.
    student = Enrollment.objects.filter(
        cohort=assignment.cohort_id, pk=key if key.isdecimal() else 0
    ).first()
    if student is None:
        raise Http404
    return student
