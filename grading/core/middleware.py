"""Middleware: the tenant's scope of a request, conflicts, and a sign-on provider that is down."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus

import structlog
from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django_scopes import scope
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, SerializationFailure
from requests import RequestException

from grading.core.errors import OrganizationClosed, StorageUnavailable, UploadUnreadable
from grading.core.launch_sessions import has_launch_ended, is_outside_launch
from grading.core.permissions import access_organization, staffed_organizations
from grading.core.request_cache import request_cache
from grading.core.view_as import (
    end_viewing,
    is_end,
    refusal_of,
    shown_to,
    student_to_show,
    viewing_of,
)
from grading.models import Organization

log = structlog.get_logger(__name__)
_ORGANIZATION_PATH = re.compile(r"^/o/(?P<slug>[-a-zA-Z0-9_]+)(?:/|$)")
_ADMIN_PATH = re.compile(r"^/admin(?:/|$)")


class TenantMiddleware:
    """Enter the scope of a request's organization.

    Staff who view a student's pages are answered as that student (grading.core.view_as).

    Under /o/<org>/ it is that organization, if the user belongs to it; another one is answered like
    a missing one. In the admin, staff see the rows of their own organizations, and the operator
    those of all. Everywhere else no scope is entered: a query on a tenant's rows raises. PostgreSQL
    gets the same scope (grading.core.rls.rls_scope).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if inside := _ORGANIZATION_PATH.match(request.path_info):
            return self._in_organization(request, inside["slug"])
        if _ADMIN_PATH.match(request.path_info):
            return self._in_admin(request)
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer 404 for an object deleted meanwhile, and 409 for a conflict; both are logged.

        Answer 503 or 500 where a stored file cannot be sent (core/uploads.py logs why).
        """
        # Logged as an error: a bug of ours would look the same to the user.
        if isinstance(exception, ObjectDoesNotExist):
            log.error("gone_meanwhile", path=request.path_info, exc_info=exception)
            raise Http404 from exception
        # Approval was withdrawn while this request was running.
        if isinstance(exception, OrganizationClosed):
            return _waiting_page(request, exception)
        if isinstance(exception, UploadUnreadable):
            status = status_of(exception)
            context = {"status": status.value, "sentence": exception.sentence}
            return render(request, "upload_unreadable.html", context, status=status)
        if is_conflict(exception):
            log.error("collided", path=request.path_info, exc_info=exception)
            return render(
                request, "409.html", {"collided": CONFLICT_SENTENCE}, status=HTTPStatus.CONFLICT
            )
        return None

    def _in_organization(self, request: HttpRequest, slug: str) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _login_redirect(request)
        with request_cache():
            try:
                organization = access_organization(request.user, slug)
            except OrganizationClosed as closed:
                return _waiting_page(request, closed)
            except Http404:
                _end_lost_view(request, slug)
                raise
            if is_outside_launch(request, organization):
                return _login_redirect(request)
            with scope(organization=organization):
                if has_launch_ended(request):
                    return _login_redirect(request)
                viewing = viewing_of(request)
                if viewing is None or viewing.organization != slug or is_end(request):
                    return self._get_response(request)
                student, reason = student_to_show(request, viewing, organization)
        if student is None:
            return self._end_viewing(request, reason)
        return self._as_student(request, organization, student)

    def _as_student(
        self, request: HttpRequest, organization: Organization, student: User
    ) -> HttpResponseBase:
        """Answer staff who view a student's pages (grading.core.view_as)."""
        # A cache of its own: the answers are those for another person.
        with request_cache(), scope(organization=organization), shown_to(request, student):
            # The role is asked anew: the student may have left.
            access_organization(request.user, organization.slug)
            return refusal_of(request) or self._get_response(request)

    def _end_viewing(self, request: HttpRequest, reason: str) -> HttpResponseBase:
        viewing = end_viewing(request=request, reason=reason)
        name = viewing.name if viewing else ""
        messages.warning(request, f"The view as {name} has ended: {reason}. Nothing was changed.")
        # htmx would put the page in place of a fragment: let it reload the whole page.
        if "HX-Request" in request.headers:
            return HttpResponse(headers={"HX-Refresh": "true"})
        # Not the page that was asked for: it may be a form that the teacher did not mean to send.
        return redirect("home")

    def _in_admin(self, request: HttpRequest) -> HttpResponseBase:
        with scope(organization=staffed_organizations(request.user)):
            return self._get_response(request)


def _end_lost_view(request: HttpRequest, slug: str) -> None:
    """End a view in an organization that the person can no longer enter."""
    viewing = viewing_of(request)
    if viewing is not None and viewing.organization == slug:
        end_viewing(request=request, reason="the person is no longer staff")


def _waiting_page(request: HttpRequest, closed: OrganizationClosed) -> HttpResponse:
    context = {"organization": closed.organization, "sentence": closed.sentence}
    return render(
        request, "courses/organizations/waiting.html", context, status=HTTPStatus.FORBIDDEN
    )


def _login_redirect(request: HttpRequest) -> HttpResponse:
    # htmx would put the login form in place of a fragment: let it reload the whole page.
    if "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return redirect_to_login(request.get_full_path())


def status_of(error: UploadUnreadable) -> HTTPStatus:
    """Return the status of a stored file that cannot be sent: it may come back, or is damaged."""
    is_away = isinstance(error, StorageUnavailable)
    return HTTPStatus.SERVICE_UNAVAILABLE if is_away else HTTPStatus.INTERNAL_SERVER_ERROR


CONFLICT_SENTENCE = (
    "Somebody else changed this at the same time, so nothing was saved. Please try again."
)


def is_conflict(error: BaseException) -> bool:
    """Return whether a database error was caused only by a concurrent change."""
    causes = (DeadlockDetected, SerializationFailure, ForeignKeyViolation)
    return isinstance(error, DatabaseError) and isinstance(error.__cause__, causes)


BAD_GATEWAY = 502


class IssuerDownMiddleware:
    """Answer 502 when the single sign-on provider is down; allauth lets its errors through."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, RequestException) or not request.path_info.startswith(
            "/accounts/"
        ):
            return None
        log.warning("issuer_down", reason=str(exception))
        return render(request, "socialaccount/authentication_error.html", status=BAD_GATEWAY)
