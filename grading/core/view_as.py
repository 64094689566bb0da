"""Staff look at an organization's pages as one of its students sees them, and change nothing.

What is kept in the session names the student; TenantMiddleware then serves that organization's pages
to the student's account. Each request checks again that the person is staff and the student is one.
The database refuses every write of such a request: its transaction is read only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import Role
from grading.core.errors import PeopleRefused
from grading.core.permissions import may
from grading.models import Enrollment, Membership, Organization

SESSION_KEY = "viewing_as"
SECONDS = 3600
CLOCK_SECONDS = 10
HOUR_OVER = "an hour is over"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
END = "view-end"
# They show the account's own address, which staff need not know, or are about its membership.
PRIVATE_PAGES = frozenset({"notices", "leave"})
_viewing: ContextVar[bool] = ContextVar("viewing", default=False)


@dataclass(frozen=True, slots=True)
class Viewing:
    """View of one student's pages by one person; `began` is a time in seconds since 1970."""

    organization: str
    cohort: str
    student: int
    user: int
    staff: int
    name: str
    began: float

    @property
    def is_over(self) -> bool:
        # Readings of the database's clock on two machines differ a little.
        return not 0 < self._seconds_left < SECONDS + CLOCK_SECONDS

    @property
    def minutes_left(self) -> int:
        return max(1, round(self._seconds_left / 60))

    @property
    def _seconds_left(self) -> float:
        return self.began + SECONDS - timezone.now().timestamp()


def viewing_of(request: HttpRequest) -> Viewing | None:
    """Return the view that the session holds, null without one or if somebody else began it."""
    values = request.session.get(SESSION_KEY) if hasattr(request, "session") else None
    if not values:
        return None
    viewing = Viewing(**values)
    # `viewer` is the person themselves while `user` is the student.
    person = getattr(request, "viewer", request.user)
    return viewing if viewing.staff == person.pk else None


def is_viewing() -> bool:
    """Return whether this request is a look at somebody else's pages: nothing is marked as read."""
    return _viewing.get()


def begin_viewing(*, request: HttpRequest, student: Enrollment, by: User) -> None:
    """Show the organization's pages as the student sees them from now on, and log it.

    Raises PeopleRefused: view_running, view_no_account, view_of_staff.
    """
    current = viewing_of(request)
    if current is not None and not current.is_over:
        raise PeopleRefused("", "view_running", "End the view that you are in first.")
    if student.user is None or not student.user.is_active:
        raise PeopleRefused(
            "", "view_no_account", f"{student} has not accepted yet: there are no pages to show."
        )
    if not _is_student(student):
        raise PeopleRefused("", "view_of_staff", f"{student} is staff, or no member any more.")

    record_activity(
        organization=student.organization_id,
        actor=by,
        verb="viewing.began",
        about=student,
        student=str(student),
    )
    end_viewing(request=request, reason=HOUR_OVER)
    viewing = Viewing(
        organization=student.organization.slug,
        cohort=student.cohort.slug,
        student=student.pk,
        user=student.user.pk,
        staff=by.pk,
        name=str(student),
        began=timezone.now().timestamp(),
    )
    request.session[SESSION_KEY] = asdict(viewing)


def end_viewing(*, request: HttpRequest, reason: str = "") -> Viewing | None:
    """End the view of this session, if there is one, and log it. Needs no scope."""
    viewing = viewing_of(request)
    request.session.pop(SESSION_KEY, None)
    if viewing is None:
        return None
    organization = Organization.objects.filter(slug=viewing.organization).first()
    if organization is not None:
        with scope(organization=organization):
            student = Enrollment.objects.filter(pk=viewing.student).first()
            record_activity(
                organization=organization,
                actor=getattr(request, "viewer", request.user),
                verb="viewing.ended",
                about=student or organization,
                student=viewing.name,
                reason=reason,
            )
    return viewing


def _is_student(student: Enrollment) -> bool:
    members = Membership.objects.filter(organization=student.organization_id, user=student.user_id)
    return members.filter(role=Role.STUDENT).exists()


def student_to_show(
    request: HttpRequest, viewing: Viewing, organization: Organization
) -> tuple[User | None, str]:
    """Return the student's account, or None and why the view ends. Needs the organization's scope."""
    if viewing.is_over:
        return None, HOUR_OVER
    if not may(request.user, organization, "staff"):
        return None, "the person is no longer staff"
    student = (
        Enrollment.objects.select_related("user")
        .filter(pk=viewing.student, user=viewing.user, user__is_active=True)
        .first()
    )
    if student is None or not _is_student(student):
        return None, "the student is gone"
    return student.user, ""


def refusal_of(request: HttpRequest) -> HttpResponse | None:
    """Return the page that refuses a change, or a page of the student's account; None for others."""
    if request.method in SAFE_METHODS and _route_of(request) not in PRIVATE_PAGES:
        return None
    context = {"is_change": request.method not in SAFE_METHODS}
    return render(request, "courses/people/view_only.html", context, status=HTTPStatus.FORBIDDEN)


def is_end(request: HttpRequest) -> bool:
    return _route_of(request) == END


def _route_of(request: HttpRequest) -> str:
    try:
        return resolve(request.path_info).url_name or ""
    except Resolver404:
        return ""


@contextmanager
def shown_to(request: HttpRequest, user: User) -> Iterator[None]:
    """Serve the request to this user, in a transaction that cannot write."""
    real: Any = request
    viewer, token = real.user, _viewing.set(True)
    real.user, real.viewer = user, viewer
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION READ ONLY")
            yield
    finally:
        _viewing.reset(token)
        real.user = viewer
        del real.viewer


def connect_signals() -> None:
    """End a view at sign-out. Called once, when the app is ready."""
    user_logged_out.connect(_on_logout, dispatch_uid="end_viewing_on_logout")


def _on_logout(request: HttpRequest | None, **_: Any) -> None:
    if request is not None and SESSION_KEY in getattr(request, "session", {}):
        end_viewing(request=request, reason="signed out")
