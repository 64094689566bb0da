"""Public keys of learning platforms, kept for a while and read again when an unknown one signs."""

from __future__ import annotations

from typing import Any

import jwt
import structlog
from django.core.cache import cache

from grading.core.errors import LaunchRefused, PlatformFailed
from grading.lti.platform_requests import get_json
from grading.models import LtiRegistration

# Kept keys are used for a day; after an hour they are read again, by one request at a time.
KEPT_SECONDS, FRESH_SECONDS = 24 * 3600, 3600
READING_SECONDS = 15
# Whoever sends messages with invented keys must not make us read the platform's each time, nor wait
# for one that is down.
QUIET_SECONDS = 30
MOST_KEYS = 50
UNKNOWN = "The message is signed by a key that your learning platform does not publish."
AWAY = "The keys of your learning platform can't be read at the moment. Try again in a minute."
log = structlog.get_logger(__name__)


def public_key(registration: LtiRegistration, key_id: str) -> jwt.PyJWK:
    """Return the platform's key with this id. Raises LaunchRefused launch_key, launch_keys_away."""
    kept = cache.get(_place(registration))
    key = _find(kept or [], key_id)
    if key is not None and cache.get(_place(registration, "fresh")):
        return key
    if _may_read(registration):
        kept = _read_again(registration, kept)
        key = _find(kept or [], key_id)
        if key is None:
            cache.set(_place(registration, "quiet"), 1, QUIET_SECONDS)
    if key is None:
        code, sentence = ("launch_key", UNKNOWN) if kept else ("launch_keys_away", AWAY)
        raise LaunchRefused(code, sentence, key_id[:200])
    return key


def forget_keys(registration: LtiRegistration) -> None:
    """Read the keys anew next time: their address has changed."""
    parts = ("keys", "fresh", "quiet")
    cache.delete_many([_place(registration, part) for part in parts])


def _may_read(registration: LtiRegistration) -> bool:
    """Return whether this request reads the keys: no other does, and none just failed to."""
    is_quiet = cache.get(_place(registration, "quiet"))
    return not is_quiet and cache.add(_place(registration, "reading"), 1, READING_SECONDS)


def _read_again(
    registration: LtiRegistration, kept: list[dict[str, Any]] | None
) -> list[dict[str, Any]] | None:
    """Return the keys as they are now, or those that were kept if the platform is away."""
    try:
        keys = _read(registration)
    except PlatformFailed as failure:
        log.warning("platform_keys_away", platform=str(registration.key), reason=failure.sentence)
        cache.set(_place(registration, "quiet"), 1, QUIET_SECONDS)
        return kept
    finally:
        cache.delete(_place(registration, "reading"))
    cache.set(_place(registration), keys, KEPT_SECONDS)
    cache.set(_place(registration, "fresh"), 1, FRESH_SECONDS)
    return keys


def _read(registration: LtiRegistration) -> list[dict[str, Any]]:
    answer = get_json(registration.jwks_url)
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


def _place(registration: LtiRegistration, part: str = "keys") -> str:
    return f"lti-platform-{part}-{registration.pk}"
