"""Sessions that a learning platform opened: they are sessions of its own organization alone.

Whoever registers a platform can let it name any of its people. So its word opens nothing beyond
that organization: there the visitor counts as a stranger, until they sign in by themselves. Nor does
it outlast the connection of that platform and account.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth import login
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.middleware import get_user
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.functional import SimpleLazyObject

from grading.models import LtiAccount, LtiRegistration, Organization

SESSION_KEY, PLATFORM_KEY = "launch_organization", "launch_platform"
# The same as of a password: it loads the user's zone.
BACKEND = "grading.core.sign_in_backends.PasswordBackend"
ORGANIZATIONS, PLATFORMS = "/o/", "/lti/"


def open_launch_session(request: HttpRequest, user: User, platform: LtiRegistration) -> None:
    """Sign the user in for the platform's organization.

    Who is signed in by themselves already stays so, with all that they may open.
    """
    if request.user == user and SESSION_KEY not in request.session:
        return
    login(request, user, backend=BACKEND)
    # After the signal of `login`, which ends such a limit.
    request.session[SESSION_KEY] = platform.organization_id
    request.session[PLATFORM_KEY] = platform.pk


def is_launch_session(request: HttpRequest) -> bool:
    return SESSION_KEY in request.session


def is_outside_launch(request: HttpRequest, organization: Organization) -> bool:
    """Return whether a platform of another organization opened the session."""
    opened_by = request.session.get(SESSION_KEY)
    return opened_by is not None and opened_by != organization.pk


def has_launch_ended(request: HttpRequest) -> bool:
    """Return whether the platform that opened the session may open this account no more.

    Its owner has parted from it, or the platform is turned off or gone. Needs the organization's
    scope.
    """
    if not is_launch_session(request):
        return False
    accounts = LtiAccount.objects.filter(
        registration=request.session.get(PLATFORM_KEY),
        registration__active=True,
        user=request.user.pk,
        ended_at=None,
    )
    return not accounts.exists()


class LaunchSessionMiddleware:
    """Answer a launch session as a stranger's outside of organizations and platforms.

    TenantMiddleware asks which organization it is. Pages of the account are outside, too: an address
    or a token that was added there would outlive the session. Who wants a password without one has
    it sent to their address, as a stranger.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not _is_open(request):
            # Lazy: most answers there, such as a calendar's, need no session.
            user: Any = SimpleLazyObject(partial(_user_outside, request))
            request.user = user
        return self._get_response(request)


def _user_outside(request: HttpRequest) -> AbstractBaseUser | AnonymousUser:
    return AnonymousUser() if is_launch_session(request) else get_user(request)


def _is_open(request: HttpRequest) -> bool:
    path = request.path_info
    return path.startswith((ORGANIZATIONS, PLATFORMS)) or path == reverse("account_logout")


def connect_signals() -> None:
    """End the limit of a session whose user signs in by themselves."""
    user_logged_in.connect(_end_limit, dispatch_uid="end_launch_session")


def _end_limit(request: HttpRequest | None = None, **_: object) -> None:
    if request is not None:
        request.session.pop(SESSION_KEY, None)
        request.session.pop(PLATFORM_KEY, None)
