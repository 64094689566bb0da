"""The only way from a request to an object: `access_<thing>(user, ...)`.

Missing and forbidden alike raise Http404, so an answer never tells whether something exists elsewhere.
All but access_organization are called inside the scope that TenantMiddleware entered.
Levels: "student" may look at what is theirs, "staff" (owner, instructor, assistant) at all of it,
"teacher" (owner, instructor) may also change it.
"""

from typing import Literal
from uuid import UUID

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.http import Http404
from django_scopes import scope

from grading.core.enums import STAFF_ROLES, TEACHING_ROLES, AuditKind, FeedbackKind, Role
from grading.core.pairing_access import PairingSide, ReportSide, is_granted, is_running
from grading.core.request_cache import remembered
from grading.core.requests import MemberRequest
from grading.core.rls.rls_scope import as_person
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
    """The role a signed-in, active user has here; None for everybody else."""
    if not user.is_authenticated or not user.is_active:
        return None
    key = user.pk
    return remembered("role", key, organization.pk, ask=lambda: _held_role(key, organization))


def may(user: Somebody, organization: Organization, level: Level) -> bool:
    """Whether the user has a role of this level in the organization."""
    return role_of(user, organization) in _ROLES[level]


def staffed_organizations(user: Somebody) -> list[Organization]:
    """Where the user teaches, for the operator (a superuser) everywhere: what they may see in the admin."""
    if not isinstance(user, User) or not user.is_active:
        return []
    if user.is_superuser:
        return list(Organization.objects.all())
    with as_person(user):
        roles = Membership.objects.filter(user=user.pk, role__in=TEACHING_ROLES)
        return [membership.organization for membership in roles.select_related("organization")]


def access_organization(user: Somebody, slug: str, *, level: Level = "student") -> Organization:
    """An organization the user belongs to with at least this level."""
    organization = Organization.objects.filter(slug=slug).first()
    if organization is None or not may(user, organization, level):
        raise Http404
    return organization


def access_cohort(user: Somebody, slug: str, *, level: Level = "student") -> Cohort:
    """A cohort of this organization: any for staff; for students those they are enrolled in."""
    cohort = Cohort.objects.select_related("organization").filter(slug=slug).first()
    if cohort is None or not _may_in_cohort(user, cohort, level):
        raise Http404
    return cohort


def access_assignment(
    user: Somebody, cohort: str, slug: str, *, level: Level = "student"
) -> Assignment:
    """An assignment by the slugs of its cohort and its own."""
    found = Assignment.objects.select_related(
        "organization", "cohort__organization", "rubric_version__rubric"
    )
    assignment = found.filter(cohort__slug=cohort, slug=slug).first()
    if assignment is None or not _may_in_cohort(user, assignment.cohort, level):
        raise Http404
    return assignment


def access_enrollment(user: Somebody, cohort: Cohort) -> Enrollment:
    """The user's own place in the cohort: who hands in."""
    enrollment = _place_of(user, cohort)
    if enrollment is None or not may(user, cohort.organization, "student"):
        raise Http404
    return enrollment


def access_submission(
    user: Somebody, submission_id: UUID | str, *, level: Level = "student"
) -> Submission:
    """One's own submission, or any of the organization for its staff."""
    found = Submission.objects.select_related(
        "organization", "assignment__cohort__organization", "student"
    )
    submission = found.filter(pk=submission_id).first()
    if submission is None or not _may_on_work_of(
        user, submission.student, submission.organization, level
    ):
        raise Http404
    return submission


def access_audit(user: Somebody, audit_id: UUID | str, *, level: Level = "student") -> Audit:
    """The audit of one's own submission, or any of the organization for its staff.

    A peer's audit is for staff alone: its two students read its edition (access_feedback).
    """
    found = Audit.objects.select_related(
        "organization",
        "submission__student",
        "submission__organization",
        "submission__assignment__organization",
        "submission__assignment__cohort__organization",
        "rubric_version__rubric",
    )
    audit = found.filter(pk=audit_id).first()
    if audit is not None and audit.kind == AuditKind.PEER and level == "student":
        level = "staff"
    if audit is None or not _may_on_work_of(
        user, audit.submission.student, audit.organization, level
    ):
        raise Http404
    return audit


def access_bulk_run(user: Somebody, bulk_id: UUID | str, *, level: Level = "staff") -> BulkRun:
    """A bulk run of the organization, for its staff."""
    found = BulkRun.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "rubric_version__rubric",
        "started_by",
    )
    run = found.filter(pk=bulk_id).first()
    if run is None or not may(user, run.organization, level):
        raise Http404
    return run


def access_appeal(user: Somebody, appeal_id: int, *, level: Level = "student") -> Appeal:
    """One's own appeal, or any of the organization for its staff."""
    found = Appeal.objects.select_related(
        "organization",
        "decided_by",
        "submission__student__user",
        "submission__organization",
        "submission__assignment__organization",
        "submission__assignment__cohort__organization",
    )
    appeal = found.filter(pk=appeal_id).first()
    if appeal is None or not _may_on_work_of(
        user, appeal.submission.student, appeal.organization, level
    ):
        raise Http404
    return appeal


def access_complaint(
    user: Somebody, complaint_id: int, *, level: StaffLevel = "staff"
) -> Complaint:
    """What a student reported as abusive, for the organization's staff; its student reads it beside the report."""
    found = Complaint.objects.select_related(
        "organization",
        "student__user",
        "decided_by",
        "report__organization",
        "report__assignment__cohort",
    ).defer("report__original", "report__reading")
    complaint = found.filter(pk=complaint_id).first()
    if complaint is None or not may(user, complaint.organization, level):
        raise Http404
    return complaint


def access_round(
    user: Somebody, cohort: str, assignment: str, number: int, *, level: Level = "staff"
) -> PairingRound:
    """A round of an assignment by its number: any for staff; at level “student” for its members while it grants."""
    found = PairingRound.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "assignment__rubric_version__rubric",
        "rubric_version__rubric",
    )
    place = {"assignment__cohort__slug": cohort, "assignment__slug": assignment, "number": number}
    round_ = found.filter(**place).first()
    if round_ is None or not (may(user, round_.organization, level) and _takes_part(user, round_)):
        raise Http404
    return round_


def access_pairing(user: Somebody, pairing_id: UUID | str) -> tuple[Pairing, PairingSide]:
    """A pairing, and on which side of it the user stands: staff always, its two students while it grants something."""
    found = Pairing.objects.select_related(
        "organization",
        "round__assignment__organization",
        "round__assignment__cohort__organization",
        "round__assignment__rubric_version__rubric",
        "round__rubric_version__rubric",
        "auditor__user",
        "auditee__user",
    )
    pairing = found.filter(pk=pairing_id).first()
    side = _side_of_pairing(user, pairing) if pairing is not None else None
    if pairing is None or side is None:
        raise Http404
    return pairing, side


def access_feedback(user: Somebody, report_id: UUID | str) -> tuple[FeedbackReport, ReportSide]:
    """A feedback report, and on which side of it the user stands; what of it they may read says
    peer_review.feedback.queries.edition_of.

    Staff always. Under a pairing its two students while that grants something, the subject once there is a report.
    Otherwise whoever brought it along, or audited themself.
    """
    found = FeedbackReport.objects.select_related(
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
    report = found.filter(pk=report_id).first()
    side = _side_of_report(user, report) if report is not None else None
    if report is None or side is None:
        raise Http404
    return report, side


def access_reported(user: Somebody, report_id: UUID | str) -> FeedbackReport:
    """A report that they reported as abusive: what came of that they read also when it grants nothing any more."""
    if report := _reported_by(user.pk, report_id):
        return report
    raise Http404


def access_finding(user: Somebody, finding_id: UUID | str, *, level: Level = "student") -> Finding:
    """A finding in one's own work, or any of the organization for its staff."""
    found = Finding.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "student__user",
        "first_submission",
        "last_submission",
        "fixed_submission",
    )
    finding = found.filter(pk=finding_id).first()
    if finding is None or not _may_on_work_of(user, finding.student, finding.organization, level):
        raise Http404
    return finding


def access_rubric_version(user: Somebody, version_id: int, *, level: StaffLevel) -> RubricVersion:
    """A version of the organization's rubrics, for its staff."""
    version = (
        RubricVersion.objects.select_related("organization", "rubric").filter(pk=version_id).first()
    )
    if version is None or not may(user, version.organization, level):
        raise Http404
    return version


def _held_role(user: int, organization: Organization) -> Role | None:
    with scope(organization=organization):
        role = Membership.objects.filter(user=user).values_list("role", flat=True).first()
    return Role(role) if role else None


def _may_in_cohort(user: Somebody, cohort: Cohort, level: Level) -> bool:
    role = role_of(user, cohort.organization)
    if role not in _ROLES[level]:
        return False
    return role in STAFF_ROLES or _place_of(user, cohort) is not None


def _place_of(user: Somebody, cohort: Cohort) -> Enrollment | None:
    if not user.is_authenticated:
        return None
    places = Enrollment.objects.select_related("cohort").filter(cohort=cohort, user=user.pk)
    return remembered("place", user.pk, cohort.pk, ask=places.first)


def _may_on_work_of(
    user: Somebody, student: Enrollment, organization: Organization, level: Level
) -> bool:
    role = role_of(user, organization)
    if role not in _ROLES[level]:
        return False
    return role in STAFF_ROLES or student.user_id == user.pk


def _takes_part(user: Somebody, round_: PairingRound) -> bool:
    if role_of(user, round_.organization) in STAFF_ROLES:
        return True
    mine = round_.members.filter(student__user=user.pk, left_at=None)
    return is_running(round_) and mine.exists()


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
    stands_alone = report.kind != FeedbackKind.PEER or is_brought
    if role is None or not (
        is_granted(report.pairing) if report.pairing is not None else stands_alone
    ):
        return None
    if report.author is not None and report.author.user_id == user.pk:
        return "author"
    is_theirs = report.subject is not None and report.subject.user_id == user.pk
    has_arrived = (
        report.audit is None or report.audit.has_report
    )  # that a peer is at work is told to nobody
    return "subject" if is_theirs and has_arrived else None


def _reported_by(user: int | None, report_id: UUID | str) -> FeedbackReport | None:
    """The report, where its subject is this user and has reported it as abusive."""
    found = FeedbackReport.objects.select_related(
        "organization", "assignment__cohort__organization"
    )
    mine = Complaint.objects.filter(student__user=user)
    return (
        found.defer("original", "reading")
        .filter(pk=report_id, pk__in=mine.values("report"))
        .first()
    )


def student_asked_for(request: MemberRequest, assignment: Assignment) -> Enrollment | None:
    """Oneself; for staff whom the address names, null where it names nobody."""
    if not may(request.user, assignment.organization, "staff"):
        return access_enrollment(request.user, assignment.cohort)
    asked = request.GET.get("student", "")
    if not asked:
        return None
    student = Enrollment.objects.filter(
        cohort=assignment.cohort_id, pk=asked if asked.isdecimal() else 0
    ).first()
    if student is None:
        raise Http404
    return student
