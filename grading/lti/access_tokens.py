"""Access tokens for the services of a learning platform: rosters and gradebooks.

A signed message of the site is exchanged for each: client credentials with a JWT,
https://www.imsglobal.org/spec/security/v1p0/#using-json-web-tokens-with-oauth-2-0-client-credentials-grant
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any

from django.core.cache import cache

from grading.core.crypto import seal, unseal
from grading.core.errors import PlatformFailed
from grading.lti.messages import signed_message
from grading.lti.platform_requests import post_form
from grading.models import LtiRegistration

ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
SEAL = "lti-access-token"
# A platform that names no lifetime means an hour.
USUAL_SECONDS, LONGEST_SECONDS = 3600, 24 * 3600
# It must not end on its way.
SPARE_SECONDS = 60


def access_token(registration: LtiRegistration, scopes: Collection[str]) -> str:
    """Return a token for these scopes, kept until it ends. Needs the organization's scope.

    Raises PlatformFailed: platform_off, platform_refuses (with its words), platform_away,
    platform_unreadable.
    """
    if not registration.active or not registration.is_complete:
        raise PlatformFailed("platform_off", f"{registration} is turned off.")
    place = _place(registration, scopes)
    if sealed := cache.get(place):
        return unseal(sealed, purpose=SEAL)

    answer = _request(registration, scopes)
    token = answer.get("access_token")
    # A header holds nothing else, nor does the cache hold half of a character.
    if not isinstance(token, str) or not token or not token.isascii():
        raise PlatformFailed("platform_unreadable", "The platform's answer holds no access token.")
    if (kept := _seconds(answer) - SPARE_SECONDS) > 0:
        cache.set(place, seal(token, purpose=SEAL), kept)
    return token


def forget_token(registration: LtiRegistration, scopes: Collection[str]) -> None:
    """Ask for a new token next time: the platform does not take this one any more."""
    cache.delete(_place(registration, scopes))


def _request(registration: LtiRegistration, scopes: Collection[str]) -> dict[str, Any]:
    audience = registration.audience or registration.token_url
    claims = {"iss": registration.client_id, "sub": registration.client_id, "aud": audience}
    answer = post_form(
        registration.token_url,
        {
            "grant_type": "client_credentials",
            "client_assertion_type": ASSERTION,
            "client_assertion": signed_message(registration, claims),
            "scope": " ".join(sorted(scopes)),
        },
    )
    return answer if isinstance(answer, dict) else {}


def _seconds(answer: dict[str, Any]) -> int:
    try:
        return min(int(answer.get("expires_in", USUAL_SECONDS)), LONGEST_SECONDS)
    # 1e999 is endless.
    except (TypeError, ValueError, OverflowError):
        return USUAL_SECONDS


def _place(registration: LtiRegistration, scopes: Collection[str]) -> str:
    # Other addresses or another client: another token.
    parts = (registration.token_url, registration.client_id, *sorted(scopes))
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
    return f"lti-token-{registration.pk}-{digest}"
