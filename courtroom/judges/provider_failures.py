"""Provider errors as the failure kinds of the report, with whether and when to try again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from courtroom.models.judge_answer import FailureKind

MESSAGE_CHARACTERS = 300
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
KINDS: Mapping[int, FailureKind] = {
    401: "auth",
    403: "auth",
    408: "server",
    409: "server",
    TOO_MANY_REQUESTS: "rate_limited",
}
# Reason codes of providers, which say more than the HTTP status alone.
CODES: Mapping[str, FailureKind] = {
    "insufficient_quota": "budget",
    "billing_hard_limit_reached": "budget",
    "context_length_exceeded": "context_length",
    "content_filter": "filtered",
    "content_policy_violation": "filtered",
}
ASKED_AGAIN: tuple[FailureKind, ...] = ("truncated", "invalid", "out_of_schema")
TRANSIENT: tuple[FailureKind, ...] = ("rate_limited", "server")
SENTENCES: Mapping[FailureKind, str] = {
    "auth": "The endpoint refused the API key.",
    "budget": "The quota of this API key is used up.",
}


class CallFailed(Exception):
    """A call without a usable answer. `pause`: seconds after which it may be repeated.

    `refused`: the provider rejected the request, so rewording it does not help.
    """

    def __init__(
        self, kind: FailureKind, message: str, *, pause: float | None = None, refused: bool = False
    ) -> None:
        self.message = message[:MESSAGE_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        super().__init__(self.message)
        self.kind, self.pause, self.refused = kind, pause, refused

    @property
    def is_worth_asking_again(self) -> bool:
        return self.kind in ASKED_AGAIN and not self.refused

    @property
    def is_transient(self) -> bool:
        return self.kind in TRANSIENT


def failure_of(error: Exception) -> CallFailed:
    """Classify an exception of any provider's library.

    The message of an authentication error is our own: providers print parts of the API key.
    """
    if isinstance(error, CallFailed):
        return error
    kind = _kind(error)
    response = getattr(error, "response", None)
    message = SENTENCES.get(kind) or f"{type(error).__name__}: {' '.join(str(error).split())}"
    pause = retry_after(getattr(response, "headers", {}))
    return CallFailed(kind, message, pause=pause, refused=hasattr(error, "status_code"))


def _kind(error: Exception) -> FailureKind:
    # Imported here: the heuristic bench must not pay for these packages.
    from langchain_core.exceptions import ContextOverflowError
    from openai import APIConnectionError, APITimeoutError

    code = str(getattr(error, "code", None) or "")
    status = getattr(error, "status_code", None)
    if isinstance(error, ContextOverflowError):
        return "context_length"
    if isinstance(error, (APITimeoutError, TimeoutError)):
        return "timeout"
    if isinstance(error, APIConnectionError):
        return "server"
    if code in CODES:
        return CODES[code]
    if isinstance(status, int):
        return KINDS.get(status) or ("server" if status >= SERVER_ERROR else "invalid")
    return "invalid"


def retry_after(headers: Mapping[str, Any]) -> float | None:
    """Return seconds from retry-after-ms (OpenAI) or Retry-After (RFC 9110: seconds or a date)."""
    try:
        if headers.get("retry-after-ms"):
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers.get("retry-after") or ""))
    except ValueError:
        return _until(str(headers.get("retry-after") or ""))


def _until(date: str) -> float | None:
    try:
        return max(0.0, (parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
