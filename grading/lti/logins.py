"""Login of a launch: remember it, and send the browser to the platform, which knows the person.

Rules: https://www.imsglobal.org/spec/security/v1p0/#platform-originating-messages
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django_scopes import scope

from grading.core.errors import LaunchRefused
from grading.models import LtiLaunch, LtiRegistration

SECRET_BYTES = 32
ELSEWHERE = "Your learning platform wants to open a page that is not of this site."


@dataclass(frozen=True, slots=True)
class LoginRequest:
    """Request by which a platform begins a launch. The hints are its own, and go back as they came."""

    issuer: str
    login_hint: str
    target: str
    client_id: str = ""
    message_hint: str = ""
    # The secret of the frame that waits for the answer, "" without one.
    frame: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Login:
    """Login that began: where the browser goes, and the secret that it keeps as a cookie."""

    address: str
    browser: str = field(repr=False)


def begin_login(*, registration: LtiRegistration, request: LoginRequest, browser: str) -> Login:
    """Store a login, and return where the browser goes. `browser` is its cookie, "" without one.

    Raises LaunchRefused: launch_off, launch_issuer, launch_audience, launch_elsewhere. Nothing is
    stored then: anybody can send such a request. The deployment stands in the message that follows.
    """
    _check(registration, request)
    state, nonce = secrets.token_urlsafe(SECRET_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    browser = browser or secrets.token_urlsafe(SECRET_BYTES)
    with transaction.atomic(), scope(organization=registration.organization_id):
        LtiLaunch.objects.create(
            organization_id=registration.organization_id,
            registration=registration,
            state_sha256=digest_of(state),
            browser_sha256=digest_of(browser),
            nonce=nonce,
            target=request.target,
            frame_sha256=digest_of(request.frame) if request.frame else "",
        )
    return Login(_address(registration, request, state, nonce), browser)


def check_usable(registration: LtiRegistration) -> None:
    """Raise LaunchRefused launch_off for a platform that is not complete, or turned off."""
    if not registration.active or not registration.is_complete:
        raise LaunchRefused(
            "launch_off", f"{registration.organization} does not let this platform in at present."
        )


def check_target(registration: LtiRegistration, target: str) -> None:
    """Raise LaunchRefused launch_elsewhere for what is not a page of the registration's organization.

    A path that a browser reads otherwise than we do, such as one with a backslash, is none.
    """
    own = (
        f"/lti/{registration.key}/",
        reverse("organization", args=[registration.organization.slug]),
    )
    # The site's own origin, so the rest can be split.
    is_ours = target.startswith(f"{settings.SITE_URL}/")
    path = urlsplit(target).path if is_ours else ""
    is_plain = "\\" not in target and ".." not in path and target.isprintable()
    if not (is_ours and is_plain and path.startswith(own)):
        raise LaunchRefused("launch_elsewhere", ELSEWHERE, target[:200])


def launch_url(registration: LtiRegistration) -> str:
    """Return the address that a platform sends its messages to."""
    return f"{settings.SITE_URL}{reverse('lti-launch', args=[registration.key])}"


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _check(registration: LtiRegistration, request: LoginRequest) -> None:
    check_usable(registration)
    if request.issuer != registration.issuer:
        raise LaunchRefused(
            "launch_issuer",
            "The request comes from another platform than the one that is registered here.",
            request.issuer[:200],
        )
    # Older platforms leave both out: then only their message names them.
    if request.client_id not in ("", registration.client_id):
        raise LaunchRefused(
            "launch_audience",
            "Your learning platform knows this site by another client ID than is registered here.",
            request.client_id[:200],
        )
    check_target(registration, request.target)


def _address(registration: LtiRegistration, request: LoginRequest, state: str, nonce: str) -> str:
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": registration.client_id,
        "redirect_uri": launch_url(registration),
        "login_hint": request.login_hint,
        "state": state,
        "nonce": nonce,
    }
    if request.message_hint:
        query["lti_message_hint"] = request.message_hint
    parts = urlsplit(registration.login_url)
    joined = f"{parts.query}&{urlencode(query)}" if parts.query else urlencode(query)
    return parts._replace(query=joined).geturl()
