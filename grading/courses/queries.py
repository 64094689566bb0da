"""Read organizations, cohorts and their assignments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Lower

from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import STAFF_ROLES, InvitationState
from grading.core.rls.rls_scope import as_person
from grading.courses.extensions.queries import students_with_more_attempts
from grading.models import (
    Assignment,
    Cohort,
    Enrollment,
    Grade,
    Invitation,
    LtiMember,
    Membership,
    Notice,
    Organization,
    Submission,
)


@dataclass(frozen=True, slots=True)
class CohortOverview:
    """Figures for a cohort's page.

    `assignments` carry `students_handed_in`: the number of students with a submission.
    """

    cohort: Cohort
    students: int
    assignments: list[Assignment]


def organizations_visible_to(user: User) -> QuerySet[Organization]:
    """Return the same organizations as a query set, to filter and page."""
    with as_person(user):
        # A list, read inside: outside this scope row-level security hides the memberships.
        memberships = Membership.objects.filter(user=user)
        organization_ids = list(memberships.values_list("organization", flat=True))

    return Organization.objects.usable().filter(pk__in=organization_ids)


def organizations_waiting_for(user: User) -> list[Organization]:
    """Return the organizations that the user created and cannot use without approval."""
    if not settings.INSTITUTIONS_BY_APPROVAL:
        return []
    return list(Organization.objects.filter(founder=user, approved_at=None))


def members_of(organization: Organization) -> QuerySet[Membership]:
    """Return the organization's memberships, by the address that it knows."""
    return Membership.objects.filter(organization=organization).order_by("email")


def cohorts_of(user: User, organization: Organization) -> QuerySet[Cohort]:
    """Return all cohorts for staff, their own for students; each with `student_count`."""
    # Counting drops the model's own order, so it is given again.
    cohorts = (
        Cohort.objects.filter(organization=organization)
        .annotate(student_count=Count("enrollments", distinct=True))
        .order_by("-starts_on", "name", "pk")
    )

    is_staff = Membership.objects.filter(
        organization=organization, user=user, role__in=STAFF_ROLES
    ).exists()
    if is_staff:
        return cohorts
    return cohorts.filter(pk__in=Enrollment.objects.filter(user=user).values("cohort"))


def cohort_overview(cohort: Cohort) -> CohortOverview:
    """Return what a cohort's page needs. Two queries."""
    assignments = (
        assignments_of(cohort)
        .annotate(students_handed_in=Count("submissions__student", distinct=True))
        .order_by("due_at", "title", "pk")
    )
    return CohortOverview(
        cohort=cohort,
        students=Enrollment.objects.filter(cohort=cohort).count(),
        assignments=list(assignments),
    )


def assignments_of(cohort: Cohort) -> QuerySet[Assignment]:
    """Return a cohort's assignments with their rubrics."""
    return Assignment.objects.filter(cohort=cohort).select_related(
        "cohort", "rubric_version__rubric"
    )


def roster_of(cohort: Cohort) -> QuerySet[Enrollment]:
    """Return the cohort's enrollments by name, with their accounts if they accepted."""
    return Enrollment.objects.filter(cohort=cohort).select_related("user")


@dataclass(frozen=True, slots=True)
class RosterLine:
    """Student on the roster, the state of their invitation, and whether its letter was held back.

    Before an answer the state is the same with and without an account. `has_left` all courses of
    learning platforms that listed them.
    """

    student: Enrollment
    state: InvitationState
    is_letter_held: bool
    has_left: bool = False


def roster_lines(cohort: Cohort, *, students: Q | None = None) -> list[RosterLine]:
    """Return the cohort's roster by name, with the answers to the invitations. One query.

    `students` is a condition that selects some of them.
    """
    invitations = Invitation.objects.filter(
        organization=OuterRef("organization"), email=Lower(OuterRef("email"))
    )
    letters = Notice.objects.filter(invitation=OuterRef("invitation_id"))
    members = LtiMember.objects.filter(enrollment=OuterRef("pk"), course_link__cohort=cohort)
    rows = (
        roster_of(cohort)
        .filter(students or Q())
        .annotate(
            has_left=Exists(members) & ~Exists(members.filter(left_at=None)),
            answer=Subquery(invitations.values("state")[:1]),
            invitation_id=Subquery(invitations.values("pk")[:1]),
        )
        .annotate(
            is_held=Exists(letters.exclude(held_at=None)) & ~Exists(letters.filter(held_at=None))
        )
    )
    return [
        RosterLine(row, _answer_of(row), vars(row)["is_held"], vars(row)["has_left"])
        for row in rows
    ]


def _answer_of(student: Enrollment) -> InvitationState:
    if student.user_id is not None:
        return InvitationState.ACCEPTED
    answer = vars(student)["answer"]
    refusals = {InvitationState.DECLINED, InvitationState.LEFT, InvitationState.REVOKED}
    return InvitationState(answer) if answer in refusals else InvitationState.INVITED


def enrollments_of(user: User) -> QuerySet[Enrollment]:
    """Return the user's enrollments within the current scope, with their cohorts."""
    return (
        Enrollment.objects.filter(user=user).select_related("cohort__organization").order_by("pk")
    )


def assignments_due_from(user: User) -> list[Assignment]:
    """Return the user's assignments within the current scope, nearest due date first.

    Each carries `used`, the number of attempts that count.
    """
    return DUE_FROM.rows_in_scope(user=user.pk)


def _due_from(user: int) -> QuerySet[Assignment, Assignment]:
    used = Count("submissions", filter=Q(submissions__student__user=user, submissions__counts=True))

    # Counting drops the model's own order, so it is given again.
    assignments = (
        Assignment.objects.filter(cohort__enrollments__user=user)
        .annotate(used=used)
        .order_by("due_at", "title", "pk")
    )
    return assignments.select_related("organization", "cohort")


DUE_FROM = OrganizationQuery(_due_from, user=int)


@dataclass(frozen=True, slots=True)
class AssignmentUsage:
    """Work that exists for an assignment and limits how its settings may change.

    `first` and `last_on_time` are times of submission, null without any; what only an extension
    made on time is no matter of the due date. `most_used` is the highest number of attempts that a
    student without more attempts by an extension has used.
    """

    submissions: int
    first: datetime | None
    last_on_time: datetime | None
    most_used: int
    released: int


def usage_of(assignment: Assignment) -> AssignmentUsage:
    """Count an assignment's submissions and releases. Three queries."""
    is_on_time = Q(late=False)
    if assignment.due_at is not None:
        is_on_time &= Q(handed_in_at__lte=assignment.due_at)
    submissions = Submission.objects.filter(assignment=assignment)
    totals = submissions.aggregate(
        submissions=Count("pk"),
        first=Min("handed_in_at"),
        last_on_time=Max("handed_in_at", filter=is_on_time),
    )

    extended = students_with_more_attempts(assignment)
    counting = submissions.filter(counts=True).exclude(student__in=extended).order_by()
    used = counting.values("student").annotate(number=Count("pk"))

    return AssignmentUsage(
        **totals,
        most_used=max((row["number"] for row in used), default=0),
        released=Grade.objects.filter(assignment=assignment, released_at__isnull=False).count(),
    )
