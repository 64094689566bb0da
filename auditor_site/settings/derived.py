"""Settings derived from an address or a secret, so that each environment states only those."""

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path
from typing import Any

from auditor_site import addresses, env

# For jobs and cached values: pickle, the default of both, runs the code of whoever wrote the value.
JSON = "rq.serializers.JSONSerializer"


def databases(url: str) -> dict[str, Any]:
    """Return DATABASES: one PostgreSQL.

    Connections live for a minute and are checked before each use.
    """
    return {
        "default": addresses.database(url)
        | {"ATOMIC_REQUESTS": False, "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True},
    }


def queues(url: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Return django-rq's RQ_QUEUES: each queue on the same server, with jobs as JSON."""
    return {name: {"URL": addresses.redis(url), "SERIALIZER": JSON} for name in names}


def caches(url: str) -> dict[str, Any]:
    """Return CACHES: the shared cache on the queue's server, where allauth counts rate limits."""
    return {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": addresses.redis(url),
            "KEY_PREFIX": "json-cache",
            "OPTIONS": {"serializer": JSON},
        },
    }


def evidence_secret(secret_key: str) -> str:
    """Return EVIDENCE_SECRET, or a secret derived from SECRET_KEY that does not reveal it."""
    derived = hmac.new(secret_key.encode(), b"automaton-auditor evidence fences", hashlib.sha256)
    return env.secret("EVIDENCE_SECRET", derived.hexdigest())


def kept_secret(path: Path) -> str:
    """Return the random secret in `path`, made once.

    Two processes that make it at the same time get the same secret.
    """
    path.parent.mkdir(parents=True, exist_ok=True)

    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48), encoding="utf-8")
        # Another process may be first: its secret is read below.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()

    return path.read_text(encoding="utf-8")
