"""Secrets of webhooks and the headers that they sign, by Standard Webhooks (standardwebhooks.com)."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64decode, b64encode
from collections.abc import Iterable

from grading.core.crypto import seal, unseal
from grading.models import Webhook

PREFIX = "whsec_"
RANDOM_BYTES = 32
# The encryption key is derived from it: if it changed, no stored secret could be read.
SEAL = "webhook"


def new_secret() -> str:
    return PREFIX + b64encode(secrets.token_bytes(RANDOM_BYTES)).decode()


def sealed(secret: str) -> str:
    return seal(secret, purpose=SEAL)


def secrets_of(webhook: Webhook, now: float) -> list[str]:
    """Return the secret, and the one before it while that still signs. Raises SealBrokenError."""
    stored = [webhook.sealed_secret]
    if webhook.previous_until is not None and webhook.previous_until.timestamp() > now:
        stored.append(webhook.sealed_previous)
    return [unseal(row, purpose=SEAL) for row in stored]


def signed_headers(body: bytes, delivery: str, at: int, keys: Iterable[str]) -> dict[str, str]:
    """Return the headers of one try: the same id in each, one signature for each secret."""
    signed = f"{delivery}.{at}.".encode() + body
    signatures = (_digest(_bytes_of(key), signed) for key in keys)
    return {
        "webhook-id": delivery,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(f"v1,{b64encode(row).decode()}" for row in signatures),
    }


def _bytes_of(secret: str) -> bytes:
    # Secrets of earlier webhooks have the alphabet of URLs, and no padding.
    text = secret.removeprefix(PREFIX).replace("-", "+").replace("_", "/")
    return b64decode(f"{text}==")


def older_signature(body: bytes, secret: str, timestamp: int) -> str:
    """Return `t=<seconds since 1970>,v1=<hex>`, as receivers of 0.1 check it."""
    # The time is signed, too, so that a receiver can refuse a repeated request.
    signed = f"{timestamp}.".encode() + body
    return f"t={timestamp},v1={_digest(secret.encode(), signed).hex()}"


def _digest(key: bytes, signed: bytes) -> bytes:
    return hmac.new(key, signed, hashlib.sha256).digest()
