"""Signatures of webhooks as code hosts make them. A host sends one or more; each must be right.

GitHub: X-Hub-Signature-256, HMAC-SHA256 of the body. Gitea and Forgejo: the same without its prefix.
GitLab: X-Gitlab-Token holds the secret itself; its newer form is that of Standard Webhooks, which
signs id and time, too. One secret of ours serves all of them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from grading.notifications.webhook_signatures import signed_headers

# As Standard Webhooks advises: an older request may be a repetition.
TOLERANCE_SECONDS = 300
HEX_HEADERS = {
    "X-Hub-Signature-256": "sha256=",
    "X-Gitea-Signature": "",
    "X-Forgejo-Signature": "",
}


def is_signed(headers: Mapping[str, str], body: bytes, secret: str, *, now: float) -> bool:
    """Return whether the request has a signature and all of its signatures are right."""
    digest = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    pairs = [
        (headers[name], f"{prefix}{digest}")
        for name, prefix in HEX_HEADERS.items()
        if name in headers
    ]
    if "X-Gitlab-Token" in headers:
        pairs.append((headers["X-Gitlab-Token"], secret))
    results = [_is_same(given, right) for given, right in pairs]
    if "webhook-signature" in headers:
        results.append(_is_standard(headers, body, secret, now))
    return bool(results) and all(results)


def _is_standard(headers: Mapping[str, str], body: bytes, secret: str, now: float) -> bool:
    at = headers.get("webhook-timestamp", "")
    # A short number: int() of a long one takes its time.
    if not (at.isascii() and at.isdecimal() and len(at) < 20):
        return False
    signed = signed_headers(body, headers.get("webhook-id", ""), int(at), [secret])
    right = signed["webhook-signature"]
    given = headers["webhook-signature"].split()
    is_right = any(_is_same(signature, right) for signature in given)
    return is_right and abs(now - int(at)) <= TOLERANCE_SECONDS


def _is_same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), right.encode())
