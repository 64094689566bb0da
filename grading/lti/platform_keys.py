"""Public keys of learning platforms, kept for a while and read again when an unknown one signs."""

from __future__ import annotations

from typing import Any

import jwt
from django.core.cache import cache

from grading.core.errors import LaunchRefused, PlatformFailed
from grading.lti.platform_requests import get_json
from grading.models import LtiRegistration

KEPT_SECONDS = 3600
# Whoever sends messages with invented keys must not make us read the platform's each time.
READ_AGAIN_SECONDS = 30
MOST_KEYS = 50
UNKNOWN = "The message is signed by a key that your learning platform does not publish."


def public_key(registration: LtiRegistration, key_id: str) -> jwt.PyJWK:
    """Return the platform's key with this id. Raises LaunchRefused launch_key, launch_keys_away."""
    kept = cache.get(_place(registration))
    key = _find(kept or [], key_id)
    if key is None and (kept is None or cache.add(_mark(registration), 1, READ_AGAIN_SECONDS)):
        kept = _read(registration)
        cache.set(_place(registration), kept, KEPT_SECONDS)
        key = _find(kept, key_id)
    if key is None:
        raise LaunchRefused("launch_key", UNKNOWN, key_id[:200])
    return key


def forget_keys(registration: LtiRegistration) -> None:
    """Read the keys anew next time: their address has changed."""
    cache.delete_many([_place(registration), _mark(registration)])


def _read(registration: LtiRegistration) -> list[dict[str, Any]]:
    try:
        answer = get_json(registration.jwks_url)
    except PlatformFailed as failure:
        raise LaunchRefused(
            "launch_keys_away",
            "The keys of your learning platform can't be read at the moment. Try again later.",
            failure.sentence[:200],
        ) from failure
    rows = answer.get("keys") if isinstance(answer, dict) else None
    keys = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return keys[:MOST_KEYS]


def _find(keys: list[dict[str, Any]], key_id: str) -> jwt.PyJWK | None:
    for row in keys:
        # Moodle and others also publish keys for encryption.
        if row.get("kid") == key_id and row.get("kty") == "RSA" and row.get("use") != "enc":
            try:
                return jwt.PyJWK(row, algorithm="RS256")
            except jwt.PyJWKError as error:
                raise LaunchRefused("launch_key", UNKNOWN, str(error)[:200]) from error
    return None


def _place(registration: LtiRegistration) -> str:
    return f"lti-platform-keys-{registration.pk}"


def _mark(registration: LtiRegistration) -> str:
    return f"lti-platform-keys-read-{registration.pk}"
