"""What any provider's exception says: its HTTP status, codes, words and headers.

Each library has exceptions of its own, and langchain wraps them. So the chain of causes is read by
the attributes that they share, and no library is imported for it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from courtroom.judges.public_connections import PrivateAddressRefused

Outcome = Literal["answered", "private", "unreachable", "timeout", "unreadable"]
# Statuses below are no refusal: a library may fail while it reads a good answer.
FIRST_ERROR_STATUS = 400
LAST_STATUS = 599
# Base classes of HTTP libraries and of providers' libraries that are made alike.
TRANSPORT_ERRORS = frozenset({"APIConnectionError", "TransportError", "ClientConnectionError"})
# A chain of causes is short; one that is not ends here.
MOST_CAUSES = 20


@dataclass(frozen=True, slots=True)
class ProviderError:
    """`status` is null unless the provider answered with an error.

    `message` is its own sentence and `whole` all that it said: both may hold anything. `codes` are
    its reason codes, the most specific first.
    """

    outcome: Outcome
    status: int | None = None
    codes: tuple[str, ...] = ()
    message: str = ""
    whole: str = ""
    headers: Mapping[str, Any] = field(default_factory=dict)


def read_error(error: BaseException) -> ProviderError:
    """Return the facts of an exception of any provider's library."""
    chain = tuple(_causes(error))
    answered = next((cause for cause in chain if _status(cause) is not None), None)
    if answered is None:
        return ProviderError(_outcome(chain))
    body = _body(answered)
    inner = body.get("error", body) if isinstance(body, dict) else body
    return ProviderError(
        outcome="answered",
        status=_status(answered),
        codes=tuple(_codes(answered, inner)),
        message=_message(inner),
        whole=f"{answered} {json.dumps(body, default=str) if body else ''}",
        headers=next((headers for cause in chain if (headers := _headers(cause))), {}),
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and what led to it, those of a group too."""
    waiting: list[BaseException] = [error]
    known: set[int] = set()
    while waiting and len(known) < MOST_CAUSES:
        cause = waiting.pop(0)
        if id(cause) in known:
            continue
        known.add(id(cause))
        yield cause
        waiting += cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()
        waiting += filter(None, (cause.__cause__, cause.__context__))


def _outcome(chain: tuple[BaseException, ...]) -> Outcome:
    if any(isinstance(cause, PrivateAddressRefused) for cause in chain):
        return "private"
    # First: a library may call a refused connection a timeout.
    if any(isinstance(cause, ConnectionError) for cause in chain):
        return "unreachable"
    if any(isinstance(c, TimeoutError) or "Timeout" in type(c).__name__ for c in chain):
        return "timeout"
    names = {base.__name__ for cause in chain for base in type(cause).__mro__}
    is_lost = names & TRANSPORT_ERRORS or any(isinstance(cause, OSError) for cause in chain)
    return "unreachable" if is_lost else "unreadable"


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    found = (
        getattr(error, "status_code", None),
        getattr(error, "code", None),
        getattr(response, "status_code", None),
        _bedrock(response).get("HTTPStatusCode"),
    )
    statuses = (s for s in found if isinstance(s, int))
    return next((s for s in statuses if FIRST_ERROR_STATUS <= s <= LAST_STATUS), None)


def _bedrock(response: object) -> Mapping[str, Any]:
    """Return the metadata of a response as the library of Amazon has it: a dict."""
    metadata = response.get("ResponseMetadata") if isinstance(response, dict) else None
    return metadata if isinstance(metadata, dict) else {}


def _body(error: BaseException) -> Any:
    """Return the body of the answer, parsed where it is JSON; null without one."""
    response = getattr(error, "response", None)
    if isinstance(response, dict):
        return {"error": response.get("Error")}
    texts = (getattr(error, "error", None), getattr(response, "text", None))
    found = (getattr(error, "body", None), getattr(error, "details", None), *texts)
    body = next((part for part in found if isinstance(part, (dict, list, str)) and part), None)
    if not isinstance(body, str):
        return body
    try:
        return json.loads(body)
    except ValueError:
        return body


def _message(inner: Any) -> str:
    if isinstance(inner, dict):
        inner = next((v for k in ("message", "Message", "detail") if (v := inner.get(k))), None)
    return inner if isinstance(inner, str) else json.dumps(inner) if inner else ""


def _codes(error: BaseException, inner: Any) -> Iterator[str]:
    fields = inner if isinstance(inner, dict) else {}
    found = (getattr(error, "code", None), *map(fields.get, ("code", "Code", "status", "type")))
    return (code for code in found if isinstance(code, str))


def _headers(error: BaseException) -> Mapping[str, Any]:
    response = getattr(error, "response", None)
    found = (
        getattr(response, "headers", None),
        getattr(error, "headers", None),
        _bedrock(response).get("HTTPHeaders"),
    )
    return next((headers for headers in found if isinstance(headers, Mapping)), {})
