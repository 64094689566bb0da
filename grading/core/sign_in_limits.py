"""Limits of wrong passwords, by account and visitor together (settings: ACCOUNT_ADAPTER).

Wrong passwords lock out who enters them, not the account. They are counted for each account and
client address, and for each account over all addresses up to a higher ceiling. A browser that has
signed in carries a signed cookie and is counted by itself, so nobody else can use up its tries:
https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import structlog
from allauth.account.utils import filter_users_by_email
from allauth.core.internal import ratelimit
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.core import signing
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse

from grading.core.account_names import PlainNamesAdapter
from grading.core.job_queues import job_queue
from grading.core.letter_proof import is_proven_by_letter

COOKIE, COOKIE_PATH, COOKIE_SECONDS = "known_device", "/accounts/", 180 * 24 * 3600
BY_VISITOR = "login_failed_by_visitor"
BY_STRANGERS = "login_failed_by_strangers"
BY_DEVICE = "login_failed_by_device"
UNWARNED = "login_failed_unwarned"
WARNING_JOB, WARNING_JOB_SECONDS = "grading.jobs.warn_of_wrong_passwords", 60
WARN_AGAIN_SECONDS = 24 * 3600
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """Browser on which this account signed in, until its password changes."""

    user_id: int
    password_mark: str
    number: str

    @classmethod
    def new(cls, user: AbstractBaseUser) -> KnownDevice:
        return cls(user.pk, _mark_of(user), secrets.token_urlsafe(12))

    @classmethod
    def read(cls, request: HttpRequest) -> KnownDevice | None:
        try:
            values = signing.loads(
                request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=COOKIE_SECONDS
            )
        except signing.BadSignature:
            return None
        return cls(*values)

    def is_of(self, user: AbstractBaseUser) -> bool:
        return (self.user_id, self.password_mark) == (user.pk, _mark_of(user))

    def set_on(self, response: HttpResponse) -> None:
        response.set_cookie(
            COOKIE,
            signing.dumps([self.user_id, self.password_mark, self.number], salt=COOKIE),
            max_age=COOKIE_SECONDS,
            path=COOKIE_PATH,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )


def _mark_of(user: AbstractBaseUser) -> str:
    """Return a digest that changes with the password."""
    return user.get_session_auth_hash()[:16]


class SignInAdapter(PlainNamesAdapter):
    """allauth's adapter with these limits, for signing in and for entering the password again."""

    error_messages = PlainNamesAdapter.error_messages | {
        "too_many_login_attempts": (
            "Too many failed login attempts. Try again in a few minutes, or reset your password."
        )
    }

    def is_email_verified(self, request: HttpRequest, email: str) -> bool:
        """Return whether a new account's address needs no letter: an invitation's proved it."""
        return super().is_email_verified(request, email) or is_proven_by_letter(request, email)

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Count the attempt before the password is checked, so parallel ones are counted too."""
        login = _login_of(credentials)
        self._usages = []
        if device := _known_device(request, login):
            counters = [(BY_DEVICE, f"{login} {device.number}")]
        else:
            visitor = f"{login} {ratelimit.get_ip(request)}"
            counters = [(BY_VISITOR, visitor), (BY_STRANGERS, login)]

        for action, key in counters:
            usage = ratelimit.consume(request, app="allauth.account", action=action, key=key)
            if usage is None:
                raise self.validation_error("too_many_login_attempts")
            self._usages.append(usage)

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractBaseUser | None:
        user = super().authenticate(request, **credentials)
        if user is not None:
            for usage in self._usages:
                usage.rollback()
        return user

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Warn the owner after many wrong passwords of strangers."""
        login = _login_of(credentials)
        if _known_device(request, login):
            return
        if not ratelimit.consume(request, app="allauth.account", action=UNWARNED, key=login):
            _warn_owners(login)

    def post_login(
        self, request: HttpRequest, user: AbstractBaseUser, **kwargs: Any
    ) -> HttpResponse:
        response = super().post_login(request, user, **kwargs)
        KnownDevice.new(user).set_on(response)
        return response


def _login_of(credentials: dict[str, Any]) -> str:
    return str(credentials.get("email") or credentials.get("username", "")).lower()


def _known_device(request: HttpRequest, login: str) -> KnownDevice | None:
    device = KnownDevice.read(request)
    # Looked up only for who holds a cookie: the time tells nobody else whether an account exists.
    if device and any(device.is_of(user) for user in filter_users_by_email(login)):
        return device
    return None


def _warn_owners(login: str) -> None:
    for user in filter_users_by_email(login, is_active=True, prefer_verified=True):
        if cache.add(f"warned-of-wrong-passwords-{user.pk}", True, WARN_AGAIN_SECONDS):
            log.warning("many_wrong_passwords", user=user.pk)
            job_queue("letters").enqueue_call(
                WARNING_JOB, args=(user.pk,), timeout=WARNING_JOB_SECONDS, result_ttl=0
            )
