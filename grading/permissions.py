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

from grading.enums import STAFF_ROLES, TEACHING_ROLES, Role
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    BulkRun,
    Cohort,
    Enrollment,
    Membership,
    Organization,
    RubricVersion,
    Submission,
)
from grading.walls import as_person

Level = Literal["student", "staff", "teacher"]
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
    with scope(organization=organization):
        role = Membership.objects.filter(user=user.pk).values_list("role", flat=True).first()
    return Role(role) if role else None


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


def access_assignment(user: Somebody, cohort: str, slug: str, *, level: Level = "student") -> Assignment:
    """An assignment by the slugs of its cohort and its own."""
    found = Assignment.objects.select_related("organization", "cohort", "rubric_version__rubric")
    assignment = found.filter(cohort__slug=cohort, slug=slug).first()
    if assignment is None or not _may_in_cohort(user, assignment.cohort, level):
        raise Http404
    return assignment


def access_enrollment(user: Somebody, cohort: Cohort) -> Enrollment:
    """The user's own place in the cohort: who hands in."""
    enrollment = (
        Enrollment.objects.filter(cohort=cohort, user=user.pk).first() if user.is_authenticated else None
    )
    if enrollment is None or not may(user, cohort.organization, "student"):
        raise Http404
    return enrollment


def access_submission(user: Somebody, submission_id: UUID | str, *, level: Level = "student") -> Submission:
    """One's own submission, or any of the organization for its staff."""
    found = Submission.objects.select_related("organization", "assignment__cohort", "student")
    submission = found.filter(pk=submission_id).first()
    if submission is None or not _may_on_work_of(user, submission.student, submission.organization, level):
        raise Http404
    return submission


def access_audit(user: Somebody, audit_id: UUID | str, *, level: Level = "student") -> Audit:
    """The audit of one's own submission, or any of the organization for its staff."""
    found = Audit.objects.select_related(
        "organization",
        "submission__student",
        "submission__assignment__cohort",
        "rubric_version__rubric",
    )
    audit = found.filter(pk=audit_id).first()
    if audit is None or not _may_on_work_of(user, audit.submission.student, audit.organization, level):
        raise Http404
    return audit


def access_bulk_run(user: Somebody, bulk_id: UUID | str, *, level: Level = "staff") -> BulkRun:
    """A bulk run of the organization, for its staff."""
    found = BulkRun.objects.select_related(
        "organization", "assignment__organization", "assignment__cohort__organization",
        "rubric_version__rubric", "started_by",
    )  # fmt: skip
    run = found.filter(pk=bulk_id).first()
    if run is None or not may(user, run.organization, level):
        raise Http404
    return run


def access_appeal(user: Somebody, appeal_id: int, *, level: Level = "student") -> Appeal:
    """One's own appeal, or any of the organization for its staff."""
    found = Appeal.objects.select_related(
        "organization", "decided_by", "submission__student__user", "submission__assignment__cohort"
    )
    appeal = found.filter(pk=appeal_id).first()
    if appeal is None or not _may_on_work_of(user, appeal.submission.student, appeal.organization, level):
        raise Http404
    return appeal


def access_rubric_version(
    user: Somebody, version_id: int, *, level: Literal["staff", "teacher"]
) -> RubricVersion:
    """A version of the organization's rubrics, for its staff."""
    version = RubricVersion.objects.select_related("organization", "rubric").filter(pk=version_id).first()
    if version is None or not may(user, version.organization, level):
        raise Http404
    return version


def _may_in_cohort(user: Somebody, cohort: Cohort, level: Level) -> bool:
    role = role_of(user, cohort.organization)
    if role not in _ROLES[level]:
        return False
    return role in STAFF_ROLES or Enrollment.objects.filter(cohort=cohort, user=user.pk).exists()


def _may_on_work_of(user: Somebody, student: Enrollment, organization: Organization, level: Level) -> bool:
    role = role_of(user, organization)
    if role not in _ROLES[level]:
        return False
    return role in STAFF_ROLES or student.user_id == user.pk
