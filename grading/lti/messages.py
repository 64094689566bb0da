"""Signed messages between the site and a learning platform: JSON Web Tokens by RS256, and no other way.

Rules: LTI 1.3, https://www.imsglobal.org/spec/security/v1p0/ (sections 5.1.2, 5.1.3).
"""

from __future__ import annotations

import time
from typing import Any
from uuid import uuid4

import jwt

from grading.core.errors import LaunchRefused
from grading.lti.keys import private_half, signing_key
from grading.lti.platform_keys import public_key
from grading.models import LtiRegistration

ALGORITHM = "RS256"
# Our own messages are read at once; clocks may differ.
LIFETIME, LEEWAY = 300, 60
# A platform's message is used at once, too.
OLDEST = 3600
# A launch with a long description and many custom parameters has a few thousand.
LONGEST = 100_000
REQUIRED = ["iss", "aud", "exp", "iat", "nonce"]
UNREADABLE = "The message of your learning platform can't be read."
SENTENCES: dict[type[jwt.PyJWTError], tuple[str, str]] = {
    jwt.ExpiredSignatureError: (
        "launch_expired",
        "The message of your learning platform has expired. Open the link there again.",
    ),
    jwt.ImmatureSignatureError: (
        "launch_early",
        "The clocks of your learning platform and of this site differ too much.",
    ),
    jwt.InvalidIssuerError: (
        "launch_issuer",
        "The message comes from another platform than the one that is registered here.",
    ),
    jwt.InvalidAudienceError: (
        "launch_audience",
        "The message of your learning platform is meant for another tool.",
    ),
    jwt.InvalidSignatureError: (
        "launch_signature",
        "The message is not signed by the learning platform that is registered here.",
    ),
    jwt.InvalidAlgorithmError: (
        "launch_algorithm",
        "The message of your learning platform is not signed by RS256.",
    ),
    jwt.MissingRequiredClaimError: ("launch_incomplete", UNREADABLE),
}


def signed_message(registration: LtiRegistration, claims: dict[str, Any]) -> str:
    """Return a message to the platform; it gets a time, an end and an id. Raises SealBrokenError."""
    key, now = signing_key(registration), int(time.time())
    times = {"iat": now, "exp": now + LIFETIME, "jti": str(uuid4())}
    headers = {"kid": str(key.kid)}
    return jwt.encode(claims | times, private_half(key), algorithm=ALGORITHM, headers=headers)


def verified_claims(registration: LtiRegistration, message: str) -> dict[str, Any]:
    """Return the claims of a platform's message to this client. Raises LaunchRefused.

    The nonce and the deployment are checked by the caller (launches.py).
    """
    if len(message) > LONGEST:
        raise LaunchRefused("launch_unreadable", UNREADABLE)
    try:
        key = public_key(registration, _key_id_of(message))
        claims: dict[str, Any] = jwt.decode(
            message,
            key,
            algorithms=[ALGORITHM],
            issuer=registration.issuer,
            audience=registration.client_id,
            leeway=LEEWAY,
            options={"require": REQUIRED},
        )
    except jwt.PyJWTError as error:
        raise _refusal_of(error) from error
    # A time that is no number, or an endless one.
    except (TypeError, ValueError, OverflowError) as error:
        raise LaunchRefused("launch_unreadable", UNREADABLE, str(error)[:200]) from error
    _check_party(claims, registration)
    _check_age(claims)
    return claims


def _key_id_of(message: str) -> str:
    header = jwt.get_unverified_header(message)
    # Before the key: one of another kind must not be asked for.
    if header.get("alg") != ALGORITHM:
        raise jwt.InvalidAlgorithmError(f"alg is {header.get('alg')!r}"[:100])
    key_id = header.get("kid")
    if not isinstance(key_id, str):
        raise LaunchRefused("launch_key", "The message does not name the key that signed it.")
    return key_id


def _refusal_of(error: jwt.PyJWTError) -> LaunchRefused:
    for kind, (code, sentence) in SENTENCES.items():
        if isinstance(error, kind):
            return LaunchRefused(code, sentence, str(error)[:200])
    return LaunchRefused("launch_unreadable", UNREADABLE, str(error)[:200])


def _check_party(claims: dict[str, Any], registration: LtiRegistration) -> None:
    """Refuse a message to several, unless it names us as the one that it is for."""
    is_shared = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
    party = claims.get("azp")
    if (is_shared and party is None) or party not in (None, registration.client_id):
        raise LaunchRefused(*SENTENCES[jwt.InvalidAudienceError], detail=str(party)[:200])


def _check_age(claims: dict[str, Any]) -> None:
    # PyJWT also takes a number as text.
    if int(claims["iat"]) < time.time() - OLDEST:
        raise LaunchRefused(*SENTENCES[jwt.ExpiredSignatureError], detail="iat")
