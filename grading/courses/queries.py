"""What pages ask about organizations, cohorts and their assignments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Count, Max, Min, Q, QuerySet

from grading.core.enums import STAFF_ROLES
from grading.core.rls.rls_scope import as_person
from grading.models import (
    Assignment,
    Cohort,
    Enrollment,
    Grade,
    Membership,
    Organization,
    Submission,
)


@dataclass(frozen=True, slots=True)
class CohortOverview:
    """`assignments` carry `students_handed_in`, how many students handed in at least once."""

    cohort: Cohort
    students: int
    assignments: list[Assignment]


def organizations_of(user: User) -> list[Organization]:
    """Where the user is a member. Needs no scope: it is what scopes are chosen from."""
    return list(organizations_visible_to(user))


def organizations_visible_to(user: User) -> QuerySet[Organization]:
    """The same, to be narrowed and paged."""
    with as_person(user):
        mine = list(Membership.objects.filter(user=user).values_list("organization", flat=True))
    return Organization.objects.filter(pk__in=mine)


def members_of(organization: Organization) -> QuerySet[Membership]:
    """Everybody who belongs to it, each with its user, by e-mail."""
    return (
        Membership.objects.filter(organization=organization)
        .select_related("user")
        .order_by("user__email")
    )


def cohorts_of(user: User, organization: Organization) -> QuerySet[Cohort]:
    """All cohorts for staff, one's own for students; with `student_count`."""
    cohorts = (
        Cohort.objects.filter(organization=organization)
        .annotate(student_count=Count("enrollments", distinct=True))
        .order_by("-starts_on", "name", "pk")
    )  # a query that counts loses the model's own order
    is_staff = Membership.objects.filter(
        organization=organization, user=user, role__in=STAFF_ROLES
    ).exists()
    mine = Enrollment.objects.filter(user=user).values("cohort")
    return cohorts if is_staff else cohorts.filter(pk__in=mine)


def cohort_overview(cohort: Cohort) -> CohortOverview:
    """A cohort's page for anybody in it. Two queries."""
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
    """What a cohort is asked, each with the rubric it is judged by."""
    return Assignment.objects.filter(cohort=cohort).select_related(
        "cohort", "rubric_version__rubric"
    )


def roster_of(cohort: Cohort) -> QuerySet[Enrollment]:
    """Everybody enrolled, by name, with their account where there is one."""
    return Enrollment.objects.filter(cohort=cohort).select_related("user")


def enrollments_of(user: User) -> QuerySet[Enrollment]:
    """Where the user is a student, in the organizations whose scope is entered; each with its cohort."""
    return (
        Enrollment.objects.filter(user=user).select_related("cohort__organization").order_by("pk")
    )


def assignments_due_from(user: User) -> QuerySet[Assignment]:
    """Everything the user is asked in the organizations whose scope is entered, nearest due date first; each with the
    attempts that are `used`."""
    mine = Assignment.objects.filter(cohort__enrollments__user=user)
    used = Count("submissions", filter=Q(submissions__student__user=user, submissions__counts=True))
    # Counting loses the model's own order.
    ranked = mine.annotate(used=used).order_by("due_at", "title", "pk")
    return ranked.select_related("organization", "cohort")


@dataclass(frozen=True, slots=True)
class AssignmentUsage:
    """`first` and `last_in_time` are when work was handed in, null without any; `most_used` is the most attempts
    that any student has used up."""

    handed_in: int
    first: datetime | None
    last_in_time: datetime | None
    most_used: int
    released: int


def usage_of(assignment: Assignment) -> AssignmentUsage:
    """Three queries."""
    work = Submission.objects.filter(assignment=assignment)
    seen = work.aggregate(
        handed_in=Count("pk"),
        first=Min("handed_in_at"),
        last_in_time=Max("handed_in_at", filter=Q(late=False)),
    )
    used = work.filter(counts=True).order_by().values("student").annotate(number=Count("pk"))
    return AssignmentUsage(
        **seen,
        most_used=max((row["number"] for row in used), default=0),
        released=Grade.objects.filter(assignment=assignment, released_at__isnull=False).count(),
    )
