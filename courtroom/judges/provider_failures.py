"""Provider errors as the failure kinds of the report, with whether and when to try again.

A message is our own sentence, with a short part of the provider's words at most.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from courtroom.judges.provider_errors import ProviderError, read_error
from courtroom.judges.provider_words import provider_words
from courtroom.models.audit_report import AnswerForm
from courtroom.models.judge_answer import FailureKind

MESSAGE_CHARACTERS = 300
TOO_MANY_REQUESTS = 429
SERVER_ERROR = 500
KINDS: Mapping[int, FailureKind] = {
    401: "auth",
    402: "budget",
    403: "auth",
    408: "server",
    409: "server",
    413: "context_length",
    TOO_MANY_REQUESTS: "rate_limited",
}
# Reason codes of providers, which say more than the HTTP status alone.
CODES: Mapping[str, FailureKind] = {
    # OpenAI's, and those of others who speak its protocol
    "insufficient_quota": "budget",
    "billing_hard_limit_reached": "budget",
    "context_length_exceeded": "context_length",
    "exceed_context_size_error": "context_length",
    "content_filter": "filtered",
    "content_policy_violation": "filtered",
    "rate_limit_exceeded": "rate_limited",
    # Anthropic's
    "authentication_error": "auth",
    "permission_error": "auth",
    "billing_error": "budget",
    "rate_limit_error": "rate_limited",
    "overloaded_error": "server",
    # Google's
    "UNAUTHENTICATED": "auth",
    "PERMISSION_DENIED": "auth",
    "RESOURCE_EXHAUSTED": "rate_limited",
    # Amazon's
    "AccessDeniedException": "auth",
    "UnrecognizedClientException": "auth",
    "ThrottlingException": "rate_limited",
    "ServiceQuotaExceededException": "budget",
}
# Where neither code nor status says it: a prompt that is too long, and a key that is wrong.
NAMES_LENGTH = re.compile(
    r"context (?:length|window|size)|(?:prompt|input) (?:is|was) too long|maximum prompt length"
    r"|too many (?:input |total )?tokens|input token count|reduce the length of the"
    r"|tokens?[^.\n]{0,60}(?:exceed|must be <=|too large for model)",
    re.IGNORECASE,
)
NAMES_KEY = re.compile(
    r"(?:incorrect|invalid|no|missing) (?:\w+ )?api[ _-]?key|api[ _-]?key (?:is )?(?:not valid|invalid)"
    r"|API_KEY_INVALID",
    re.IGNORECASE,
)
# Google names the pause in the body.
RETRY_DELAY = re.compile(r'"retryDelay": ?"(\d{1,6}(?:\.\d{1,9})?)s"')
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
# An error without an answer, by its outcome.
WITHOUT_ANSWER: Mapping[str, tuple[FailureKind, str]] = {
    "private": ("invalid", "The endpoint's address is on a private network."),
    "unreachable": ("server", "The endpoint could not be reached."),
    "timeout": ("timeout", SENTENCES["timeout"]),
    "unreadable": ("invalid", "The endpoint's answer could not be read."),
}
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
    if _is_overflow(error):
        return CallFailed("context_length", SENTENCES["context_length"], refused=True)
    facts = read_error(error)
    if facts.outcome != "answered":
        kind, sentence = WITHOUT_ANSWER[facts.outcome]
        return CallFailed(kind, sentence, refused=facts.outcome == "private")

    kind = _kind(facts)
    # Providers print parts of the API key when they refuse it.
    words = "" if kind == "auth" else provider_words(facts.message)
    quote = f" It said: “{words}”" if words else ""
    is_refused = UNREADABLE_ANSWER not in facts.codes
    message = f"{_sentence(kind, facts)}{quote}"
    return CallFailed(kind, message, pause=_pause(facts), refused=is_refused)


def refused_request(error: Exception) -> str:
    """Return the words in which an endpoint refused a request as such; "" for other failures."""
    facts = read_error(error)
    if facts.status is None or UNREADABLE_ANSWER in facts.codes or _is_overflow(error):
        return ""
    return facts.whole if _kind(facts) in ("invalid", "server") else ""


def _is_overflow(error: Exception) -> bool:
    # Imported here: the heuristic bench must not pay for this package.
    from langchain_core.exceptions import ContextOverflowError

    return isinstance(error, ContextOverflowError)


def _sentence(kind: FailureKind, facts: ProviderError) -> str:
    if kind in SENTENCES:
        return SENTENCES[kind]
    outcome = "failed" if kind == "server" else "refused the request"
    return f"The endpoint {outcome} (HTTP {facts.status})."


def _kind(facts: ProviderError) -> FailureKind:
    """Return the kind of an error that was answered."""
    status = facts.status or SERVER_ERROR
    for code in facts.codes:
        if code in CODES:
            return CODES[code]
    if status in KINDS:
        return KINDS[status]
    if NAMES_LENGTH.search(facts.whole):
        return "context_length"
    if NAMES_KEY.search(facts.message):
        return "auth"
    return "server" if status >= SERVER_ERROR else "invalid"


def _pause(facts: ProviderError) -> float | None:
    delay = RETRY_DELAY.search(facts.whole)
    return float(delay[1]) if delay else retry_after(facts.headers)


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
