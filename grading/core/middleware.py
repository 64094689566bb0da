"""The one place where a request enters its tenant's scope."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus

import structlog
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django_scopes import scope
from psycopg.errors import DeadlockDetected, ForeignKeyViolation, SerializationFailure
from requests import RequestException

from grading.core.permissions import access_organization, staffed_organizations
from grading.core.request_cache import remembering

log = structlog.get_logger(__name__)
_IN_AN_ORGANIZATION = re.compile(r"^/o/(?P<slug>[-a-zA-Z0-9_]+)(?:/|$)")
_IN_THE_ADMIN = re.compile(r"^/admin(?:/|$)")


class TenantMiddleware:
    """Under /o/<org>/ a request sees one organization, and only if its user belongs to it.

    Someone else's organization answers like a missing one. In the admin an organization's staff see their
    own organizations' rows, and the operator those of all of them. Everywhere else no scope is entered: a query
    on a tenant's rows raises. PostgreSQL is told the same scope (grading.core.rls.rls_scope).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if inside := _IN_AN_ORGANIZATION.match(request.path_info):
            return self._within(request, inside["slug"])
        if _IN_THE_ADMIN.match(request.path_info):
            return self._in_the_admin(request)
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Whatever was deleted between being found and being asked for is missing like any other.

        Logged as an error, for a fault of ours looks the same to who asks.
        """
        if isinstance(exception, ObjectDoesNotExist):
            log.error("gone_meanwhile", path=request.path_info, exc_info=exception)
            raise Http404 from exception
        if is_collision(exception):
            log.error("collided", path=request.path_info, exc_info=exception)
            return render(request, "409.html", {"collided": COLLIDED}, status=HTTPStatus.CONFLICT)
        return None

    def _within(self, request: HttpRequest, slug: str) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_login(request)
        with remembering(), scope(organization=access_organization(request.user, slug)):
            return self._get_response(request)

    def _in_the_admin(self, request: HttpRequest) -> HttpResponseBase:
        with scope(organization=staffed_organizations(request.user)):
            return self._get_response(request)


def _to_login(request: HttpRequest) -> HttpResponse:
    """A fragment that renews itself must not become a login form: its page is loaded anew, and leads there."""
    if "HX-Request" in request.headers:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return redirect_to_login(request.get_full_path())


COLLIDED = (
    "Somebody changed the same at the same moment, and nothing of yours was written: try again."
)


def is_collision(error: BaseException) -> bool:
    """Of what Django raised: whether only what somebody else did at the same time was the cause."""
    causes = (DeadlockDetected, SerializationFailure, ForeignKeyViolation)
    return isinstance(error, DatabaseError) and isinstance(error.__cause__, causes)


BAD_GATEWAY = 502


class IssuerDownMiddleware:
    """allauth asks the issuer in the middle of a request, and lets through what goes wrong there."""

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
