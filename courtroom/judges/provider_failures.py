"""Provider errors as the failure kinds of the report, with whether and when to try again.

A message is our own sentence, with a short part of the provider's words at most.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from courtroom.judges.provider_words import provider_words
from courtroom.models.audit_report import AnswerForm
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
ASKED_AGAIN: tuple[FailureKind, ...] = ("truncated", "invalid", "out_of_schema", "unfounded")
TRANSIENT: tuple[FailureKind, ...] = ("rate_limited", "server")
SENTENCES: Mapping[FailureKind, str] = {
    "auth": "The endpoint refused the API key.",
    "budget": "The quota of this API key is used up.",
    "rate_limited": "The endpoint is busy: it has too many requests.",
    "context_length": "The prompt is longer than the model can read.",
    "filtered": "The provider's filter refused the prompt.",
    "timeout": "The endpoint did not answer in time.",
}
NOT_REACHED = "The endpoint could not be reached."
# Groq's code for an answer of its model that is no JSON: the request was right.
UNREADABLE_ANSWER = "json_validate_failed"


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


class FormRefused(CallFailed):
    """The endpoint does not take a request of this form, and there is another to try."""

    def __init__(self, form: AnswerForm) -> None:
        super().__init__("invalid", f"The endpoint takes no request for {form}.", refused=True)


def failure_of(error: Exception) -> CallFailed:
    """Classify an exception of any provider's library."""
    if isinstance(error, CallFailed):
        return error
    kind, status = _kind(error), getattr(error, "status_code", None)
    is_refused = status is not None and _code(error) != UNREADABLE_ANSWER
    # Providers print parts of the API key when they refuse it.
    words = "" if kind == "auth" else provider_words(_own_words(error))
    quote = f" It said: “{words}”" if words else ""
    pause = retry_after(getattr(getattr(error, "response", None), "headers", {}))
    return CallFailed(kind, f"{_sentence(kind, error)}{quote}", pause=pause, refused=is_refused)


def refused_request(error: Exception) -> str:
    """Return the words in which an endpoint refused a request as such; "" for other failures."""
    is_answered = isinstance(getattr(error, "status_code", None), int)
    if not is_answered or _code(error) == UNREADABLE_ANSWER:
        return ""
    return _whole_words(error) if _kind(error) in ("invalid", "server") else ""


def _sentence(kind: FailureKind, error: Exception) -> str:
    status = getattr(error, "status_code", None)
    if kind in SENTENCES:
        return SENTENCES[kind]
    if isinstance(status, int):
        outcome = "failed" if kind == "server" else "refused the request"
        return f"The endpoint {outcome} (HTTP {status})."
    return NOT_REACHED if kind == "server" else "The endpoint's answer could not be read."


def _own_words(error: Exception) -> str:
    """Return the message in an error's body; of an error without an answer, nothing."""
    if getattr(error, "status_code", None) is None:
        return ""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else body
    message = inner.get("message") or inner.get("detail") if isinstance(inner, dict) else inner
    return message if isinstance(message, str) else json.dumps(message) if message else ""


def _whole_words(error: Exception) -> str:
    body = getattr(error, "body", None)
    return f"{error} {json.dumps(body, default=str) if body else ''}"


def _code(error: Exception) -> str:
    return str(getattr(error, "code", None) or "")


def _kind(error: Exception) -> FailureKind:
    # Imported here: the heuristic bench must not pay for these packages.
    from langchain_core.exceptions import ContextOverflowError
    from openai import APIConnectionError, APITimeoutError

    code = _code(error)
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
