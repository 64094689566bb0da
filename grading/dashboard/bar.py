"""The bar of the pages of an organization: its courses, the assignments of one, and what waits."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import (
    Case,
    Count,
    Exists,
    FilteredRelation,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.urls import resolve, reverse
from django.utils import timezone

from grading.appeals.queries import WAITING
from grading.comments.queries import ANSWER_WAITS, new_comments
from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import STAFF_ROLES, TEACHING_ROLES, ComplaintState, LatePolicy, Role
from grading.core.own_work import handled_by_member
from grading.core.pairing_access import granted_pairings
from grading.core.permissions import may
from grading.core.roles import role_of
from grading.core.team_access import is_readable_for_user
from grading.courses.extensions.queries import extensions_for
from grading.dashboard.queries import finished_reports
from grading.models import (
    Appeal,
    Assignment,
    Cohort,
    Comment,
    Complaint,
    Enrollment,
    Membership,
    Organization,
    Submission,
)

# Bounds on the bar's size; the organization's page lists every course.
MAX_COURSES = 20
MAX_ROWS = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Link; `current` is its aria-current: "page" for the page itself, "true" for one above it."""

    label: str
    address: str
    current: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """`course` is the name of the course that the page belongs to, "" for none."""

    organization: Place
    courses: tuple[Place, ...]
    course: str
    assignments: tuple[Place, ...]
    attention: tuple[Place, ...]
    search: Place | None


def bar_of(user: User, organization: Organization, path: str, above: Collection[str]) -> Bar:
    """Return the bar of the page at `path`; `above` are the addresses of its breadcrumbs. One query."""
    is_staff = may(user, organization, "staff")
    current = _cohort_in([path, *above])
    rows = _rows(user, organization, current)
    org = organization.slug

    def place(label: str, name: str, *slugs: str) -> Place:
        address = reverse(name, args=[org, *slugs])
        is_above = "true" if address in above else ""
        return Place(label, address, "page" if address == path else is_above)

    # A cohort has a row for each of its assignments if it is the current one.
    cohorts = {row["slug"]: row["name"] for row in rows}
    return Bar(
        organization=place(organization.name, "organization"),
        courses=tuple(
            place(name, "cohort", slug) for slug, name in list(cohorts.items())[:MAX_COURSES]
        ),
        course=cohorts.get(current, ""),
        assignments=tuple(
            place(row["here__title"], "assignment", current, row["here__slug"])
            for row in rows
            if row["here__slug"]
        ),
        attention=_attention(org, rows),
        search=place("Search", "search") if is_staff else None,
    )


def _cohort_in(addresses: Iterable[str]) -> str:
    slugs = (resolve(address).kwargs.get("cohort") for address in addresses)
    return next(filter(None, slugs), "")


def _rows(user: User, organization: Organization, current: str) -> list[dict[str, Any]]:
    """Return cohorts as dictionaries, the current one first with its assignments, each row with what waits."""
    role = role_of(user, organization)
    if role in TEACHING_ROLES:
        return TEACHERS_ROWS.rows(organization=organization.pk, current=current)
    if role in STAFF_ROLES:
        return ASSISTANTS_ROWS.rows(organization=organization.pk, current=current, user=user.pk)
    now = timezone.now()
    return STUDENTS_ROWS.rows(organization=organization.pk, current=current, user=user.pk, now=now)


def _students_rows(current: str, user: int, now: datetime) -> QuerySet[Any, Any]:
    cohorts = Cohort.objects.filter(pk__in=Enrollment.objects.filter(user=user).values("cohort"))
    return _listed(cohorts, current, _due_from(User(pk=user), now))


def _assistants_rows(current: str, user: int) -> QuerySet[Any, Any]:
    assistant = Membership(user_id=user, role=Role.ASSISTANT)
    handled = handled_by_member(assistant, "submission")
    return _listed(Cohort.objects.all(), current, _waiting_for_staff(handled))


def _teachers_rows(current: str) -> QuerySet[Any, Any]:
    return _listed(Cohort.objects.all(), current, _waiting_for_staff(Q()))


STUDENTS_ROWS = OrganizationQuery(_students_rows, current=str, user=int, now=datetime)
ASSISTANTS_ROWS = OrganizationQuery(_assistants_rows, current=str, user=int)
TEACHERS_ROWS = OrganizationQuery(_teachers_rows, current=str)


def _listed(
    cohorts: QuerySet[Cohort], current: str, counts: dict[str, Coalesce]
) -> QuerySet[Any, Any]:
    is_current = Case(When(slug=current, then=Value(0)), default=Value(1))
    listed: Any = cohorts.annotate(
        here=FilteredRelation("assignments", condition=Q(slug=current)), **counts
    )
    columns = ("slug", "name", "here__slug", "here__title", *counts)
    order = ("-starts_on", "name", "pk", "here__due_at", "here__title")
    rows: QuerySet[Any, Any] = listed.order_by(is_current, *order).values(*columns)[:MAX_ROWS]
    return rows


def _waiting_for_staff(handled: Q) -> dict[str, Coalesce]:
    """Count what waits, but nothing on work that an assistant reads as its student."""
    return {
        "appeals": _number_of(Appeal.objects.filter(WAITING, handled)),
        "answers": _number_of(Comment.objects.filter(ANSWER_WAITS, handled)),
        "complaints": _number_of(Complaint.objects.filter(state=ComplaintState.OPEN)),
    }


def _due_from(user: User, now: datetime) -> dict[str, Coalesce]:
    """Count what home lists as due: assignments without a counting attempt, and peer reviews."""
    handed_in = Submission.objects.filter(
        is_readable_for_user(user.pk), assignment=OuterRef("pk"), counts=True
    )
    is_open = (Q(opens_at=None) | Q(opens_at__lte=now)) & (
        Q(due_at=None)
        | Q(due_at__gte=now)
        | ~Q(late_policy=LatePolicy.REFUSE)
        | Exists(extensions_for(user).filter(assignment=OuterRef("pk"), due_at__gte=now))
    )
    is_running = Q(cohort__ends_on=None) | Q(cohort__ends_on__gte=now.date())
    assignments = Assignment.objects.filter(
        is_open, is_running, ~Exists(handed_in), cohort__enrollments__user=user
    )
    reviews = granted_pairings(now).filter(~Exists(finished_reports()), auditor__user=user)
    return {
        "assignments_due": _number_of(assignments),
        "reviews_due": _number_of(reviews),
        "comments": _number_of(new_comments(user)),
    }


def _number_of(rows: QuerySet[Any]) -> Coalesce:
    counted = rows.order_by().values("organization").annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted[:1], output_field=IntegerField()), Value(0))


def _attention(org: str, rows: Iterable[dict[str, Any]]) -> tuple[Place, ...]:
    row = next(iter(rows), {})
    appeals, complaints = row.get("appeals", 0), row.get("complaints", 0)
    due = row.get("assignments_due", 0) + row.get("reviews_due", 0)
    answers, comments = row.get("answers", 0), row.get("comments", 0)
    plural = "" if complaints == 1 else "s"
    to_comments = reverse("comment-inbox", args=[org])
    places = (
        (appeals, f"{appeals} appeal{'' if appeals == 1 else 's'}", reverse("appeals", args=[org])),
        (answers, f"{answers} answer{'' if answers == 1 else 's'}", to_comments),
        (comments, f"{comments} new comment{'' if comments == 1 else 's'}", to_comments),
        (complaints, f"{complaints} report{plural} of abuse", reverse("complaints", args=[org])),
        (due, f"{due} due", f"{reverse('home')}#due-heading"),
    )
    return tuple(Place(label, address) for number, label, address in places if number)
