"""Access checks: the only way from a request to an object is `access_<thing>(user, ...)`.

A missing and a forbidden object both raise Http404, so a response never reveals what exists in
another organization. All but access_organization are called inside the scope that TenantMiddleware
entered. Levels: "student" may read their own objects, "staff" (owner, instructor, assistant) all of
them, "teacher" (owner, instructor) may also change them, "owner" gives roles. An object of a cohort
makes the cohort's zone that of the page, if its reader chose none.
"""

from functools import partial
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404

from grading.core.comment_access import is_shown_to_user
from grading.core.compiled_queries import CompiledQuery, OrganizationQuery
from grading.core.enums import STAFF_ROLES, TEACHING_ROLES, AuditKind, Role
from grading.core.errors import OrganizationClosed
from grading.core.own_addresses import addresses_of
from grading.core.own_work import may_handle, may_handle_student
from grading.core.request_cache import cached
from grading.core.requests import MemberRequest
from grading.core.rls.rls_scope import as_person
from grading.core.roles import ROLES, Level, Somebody, StaffLevel, may, remember_role, role_of
from grading.core.team_access import is_present_member, read_as_of
from grading.core.time_zones import follow_cohort
from grading.models import (
    Appeal,
    Assignment,
    Audit,
    BankedComment,
    BulkRun,
    Cohort,
    Comment,
    Enrollment,
    Extension,
    Finding,
    Invitation,
    Membership,
    Organization,
    RepositoryAccess,
    Rubric,
    RubricVersion,
    StaffNote,
    Submission,
)
from grading.models.tenant import TenantModel

# Views import the roles from here, with the access checks.
__all__ = ("Level", "Somebody", "StaffLevel", "may", "remember_role", "role_of")


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


def _with_role(slug: str, user: int) -> QuerySet[Organization, Organization]:
    roles = Membership.objects.filter(organization=OuterRef("pk"), user=user)
    return Organization.objects.annotate(role=Subquery(roles.values("role")[:1])).filter(slug=slug)


ORGANIZATION_WITH_ROLE = CompiledQuery(_with_role, slug=str, user=int)


def _organization_and_role(user: Somebody, slug: str) -> Organization | None:
    """Return an organization, and keep the user's role in it for the length of the request."""
    if not isinstance(user, User):
        return None
    with as_person(user):
        organization = next(iter(ORGANIZATION_WITH_ROLE.rows(slug=slug, user=user.pk)), None)
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


def _cohort(slug: str) -> QuerySet[Cohort, Cohort]:
    return Cohort.objects.select_related("organization").filter(slug=slug)


COHORT = OrganizationQuery(_cohort, slug=str)


def access_cohort(user: Somebody, slug: str, *, level: Level = "student") -> Cohort:
    """Return a cohort: any for staff, their own for students."""
    cohort = COHORT.row(slug=slug)
    if cohort is None or not _may_in_cohort(user, cohort, level):
        raise Http404
    follow_cohort(cohort)
    return cohort


def _assignment(cohort: str, slug: str) -> QuerySet[Assignment, Assignment]:
    rows = Assignment.objects.select_related("organization", "cohort", "rubric_version__rubric")
    return rows.defer("rubric_version__document").filter(cohort__slug=cohort, slug=slug)


ASSIGNMENT = OrganizationQuery(_assignment, cohort=str, slug=str)


def access_assignment(
    user: Somebody, cohort: str, slug: str, *, level: Level = "student"
) -> Assignment:
    """Return an assignment by the slugs of its cohort and its own."""
    assignment = ASSIGNMENT.row(cohort=cohort, slug=slug)
    if assignment is None:
        raise Http404
    _share_organization(assignment, assignment.cohort)
    if not _may_in_cohort(user, assignment.cohort, level):
        raise Http404
    follow_cohort(assignment.cohort)
    return assignment


def _share_organization(row: TenantModel, *others: TenantModel) -> None:
    """Give rows of the same organization one object of it: a join less for each of them."""
    for other in others:
        if other.organization_id == row.organization_id:
            other.organization = row.organization


def access_extension(
    user: Somebody, cohort: str, slug: str, extension_id: int, *, level: StaffLevel
) -> Extension:
    """Return an extension of this assignment, current or ended, for staff."""
    assignment = access_assignment(user, cohort, slug, level=level)
    rows = Extension.objects.select_related("student")
    extension = rows.filter(assignment=assignment, pk=extension_id).first()
    if extension is None:
        raise Http404
    extension.assignment = assignment
    return extension


def access_enrollment(user: Somebody, cohort: Cohort) -> Enrollment:
    """Return the user's own enrollment in the cohort."""
    enrollment = _enrollment_of(user, cohort)
    if enrollment is None or not may(user, cohort.organization, "student"):
        raise Http404
    return enrollment


def access_student(
    user: Somebody, cohort: Cohort, student_id: int, *, level: StaffLevel = "staff"
) -> Enrollment:
    """Return a student of the cohort, for staff."""
    student = (
        Enrollment.objects.select_related("organization", "cohort__organization", "user")
        .filter(cohort=cohort, pk=student_id)
        .first()
    )
    if student is None or not may(user, cohort.organization, level):
        raise Http404
    return student


def access_submission(
    user: Somebody, submission_id: UUID | str, *, level: Level = "student"
) -> Submission:
    """Return a submission: any for staff, their own for students."""
    rows = Submission.objects.select_related(
        "organization", "assignment__cohort__organization", "student", "team"
    )

    submission = rows.filter(pk=submission_id).first()
    if submission is None or not _may_read(user, submission, level):
        raise Http404
    follow_cohort(submission.assignment.cohort)
    return submission


def access_staff_thread(user: Somebody, submission_id: UUID | str) -> Submission:
    """Return a submission for its staff thread: for staff, but not on work of their own."""
    submission = access_submission(user, submission_id, level="staff")
    if not may_read_staff_thread(user, submission):
        raise Http404
    return submission


def may_read_staff_thread(user: Somebody, submission: Submission) -> bool:
    """Return whether the user is staff and this is not their own work. Needs `student`."""
    is_own = read_as_of(user.pk, submission) is not None
    return not is_own and may(user, submission.organization, "staff")


def access_staff_note(user: Somebody, note_id: int) -> StaffNote:
    """Return a note in a staff thread that the user may read."""
    rows = StaffNote.objects.select_related(
        "organization",
        "submission__organization",
        "submission__student",
        "submission__assignment__organization",
        "submission__assignment__cohort__organization",
    )

    note = rows.filter(pk=note_id).first()
    if note is None or not may_read_staff_thread(user, note.submission):
        raise Http404
    follow_cohort(note.submission.assignment.cohort)
    return note


def _audit(audit: UUID) -> QuerySet[Audit, Audit]:
    rows = Audit.objects.select_related(
        "organization",
        "submission__team",
        "submission__student",
        "submission__assignment__cohort",
        "rubric_version__rubric",
    )
    return rows.defer("report", "screening").filter(pk=audit)


AUDIT = OrganizationQuery(_audit, audit=UUID)


def access_audit(user: Somebody, audit_id: UUID, *, level: Level = "student") -> Audit:
    """Return an audit: any for staff; for students those of their own submissions.

    A peer's audit is for staff alone: its two students read its edition (access_feedback).
    """
    audit = AUDIT.row(audit=audit_id)
    if audit is None:
        raise Http404
    assignment = audit.submission.assignment
    _share_organization(audit, audit.submission, assignment, assignment.cohort)
    if audit.kind == AuditKind.PEER and level == "student":
        level = "staff"
    if not _may_read(user, audit.submission, level):
        raise Http404
    follow_cohort(assignment.cohort)
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
        "assigned_to__user",
        "submission__student__user",
        "submission__team",
        "submission__organization",
        "submission__assignment__organization",
        "submission__assignment__cohort__organization",
    )

    appeal = rows.filter(pk=appeal_id).first()
    if appeal is None or not _may_read(user, appeal.submission, level):
        raise Http404
    follow_cohort(appeal.submission.assignment.cohort)
    return appeal


def access_comment(user: Somebody, comment_id: int, *, level: Level = "student") -> Comment:
    """Return a comment: any for staff, for students a released one on their own work."""
    rows = Comment.objects.select_related(
        "organization",
        "author",
        "submission__student__user",
        "submission__team",
        "submission__organization",
        "submission__assignment__organization",
        "submission__assignment__cohort__organization",
        "submission__assignment__rubric_version__rubric",
    )

    comment = rows.filter(pk=comment_id).first()
    if comment is None or not _may_read(user, comment.submission, level):
        raise Http404
    if not may_handle(user, comment.submission) and not _is_released_for(user, comment):
        raise Http404
    follow_cohort(comment.submission.assignment.cohort)
    return comment


def _is_released_for(user: Somebody, comment: Comment) -> bool:
    if comment.submission.team_id is None:
        return comment.is_visible
    return Comment.objects.filter(is_shown_to_user(user.pk or 0), pk=comment.pk).exists()


def access_finding(user: Somebody, finding_id: UUID | str, *, level: Level = "student") -> Finding:
    """Return a finding: any for staff; for students those in their own work."""
    rows = Finding.objects.select_related(
        "organization",
        "assignment__organization",
        "assignment__cohort__organization",
        "student__user",
        "first_submission__student",
        "first_submission__organization",
        "last_submission",
        "fixed_submission",
    )

    finding = rows.filter(pk=finding_id).first()
    # A finding goes on with later attempts: who has left the team reads it no more.
    if finding is None or not (
        _may_read(user, finding.first_submission, level)
        and (
            may_handle(user, finding.first_submission)
            or is_present_member(user.pk, finding.first_submission)
        )
    ):
        raise Http404
    follow_cohort(finding.assignment.cohort)
    return finding


def access_repository(user: Somebody, cohort: str, access_id: int) -> RepositoryAccess:
    """Return the user's own access to a private repository, in one of their cohorts."""
    target = access_cohort(user, cohort)
    student = access_enrollment(user, target)
    rows = RepositoryAccess.objects.select_related("organization", "student__cohort")
    access = rows.filter(student=student, owner=student.user_id, pk=access_id).first()
    if access is None:
        raise Http404
    return access


def access_shared_repository(user: Somebody, slug: str, access_id: int) -> RepositoryAccess:
    """Return an access of the organization to private repositories, for its teachers."""
    organization = access_organization(user, slug, level="teacher")
    rows = RepositoryAccess.objects.select_related("organization", "made_by")
    access = rows.filter(organization=organization, student=None, pk=access_id).first()
    if access is None:
        raise Http404
    return access


def access_rubric(user: Somebody, slug: str, *, level: StaffLevel = "staff") -> Rubric:
    """Return a rubric of the organization by its slug, for staff."""
    rubric = Rubric.objects.select_related("organization").filter(slug=slug).first()
    if rubric is None or not may(user, rubric.organization, level):
        raise Http404
    return rubric


def access_banked_comment(
    user: Somebody, rubric: str, entry_id: int, *, level: StaffLevel = "staff"
) -> BankedComment:
    """Return an entry of the bank of the rubric with this slug, for staff."""
    entries = BankedComment.objects.select_related("organization", "rubric__organization")
    entry = entries.filter(pk=entry_id, rubric__slug=rubric).first()
    if entry is None or not may(user, entry.organization, level):
        raise Http404
    return entry


def access_rubric_version(user: Somebody, version_id: int, *, level: StaffLevel) -> RubricVersion:
    """Return a version of the organization's rubrics, for staff."""
    version = (
        RubricVersion.objects.select_related("organization", "rubric").filter(pk=version_id).first()
    )
    if version is None or not may(user, version.organization, level):
        raise Http404
    return version


def _may_in_cohort(user: Somebody, cohort: Cohort, level: Level) -> bool:
    role = role_of(user, cohort.organization)
    if role not in ROLES[level]:
        return False
    return role in STAFF_ROLES or _enrollment_of(user, cohort) is not None


def _enrollment(cohort: int, user: int) -> QuerySet[Enrollment, Enrollment]:
    return Enrollment.objects.select_related("cohort").filter(cohort=cohort, user=user)


ENROLLMENT = OrganizationQuery(_enrollment, cohort=int, user=int)


def _enrollment_of(user: Somebody, cohort: Cohort) -> Enrollment | None:
    if not user.is_authenticated:
        return None
    enrollment = partial(ENROLLMENT.row, cohort=cohort.pk, user=user.pk)
    return cached("enrollment", user.pk, cohort.pk, ask=enrollment)


def _may_read(user: Somebody, submission: Submission, level: Level) -> bool:
    """Return whether the user may read this work; a member of its team then reads as themself.

    Assistants are students of their own work (may_handle).
    """
    role = role_of(user, submission.organization)
    if role not in ROLES[level]:
        return False
    if role in TEACHING_ROLES:
        return True
    reader = read_as_of(user.pk, submission)
    if reader is None:
        return role in STAFF_ROLES
    if submission.team_id is not None:
        submission.read_as = reader
    return level == "student"


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
    if student is None or not may_handle_student(request.user, assignment, student):
        raise Http404
    return student
