"""Requests to a platform's services with an access token; one that was refused is replaced once."""

from __future__ import annotations

from collections.abc import Collection
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from grading.core.errors import PlatformFailed
from grading.engine.pinned_requests import Reply
from grading.lti.access_tokens import access_token, forget_token
from grading.lti.platform_requests import origin_of, send
from grading.models import LtiRegistration


def ask_service(
    registration: LtiRegistration,
    scopes: Collection[str],
    url: str,
    *,
    method: str = "GET",
    body: bytes | None = None,
    types: tuple[str, str] = ("application/json", ""),
) -> Reply:
    """Return an accepted answer. `types` are of the answer and of the body. Raises PlatformFailed.

    Needs the organization's scope.
    """
    accept, content = types
    headers = {"Accept": accept} | ({"Content-Type": content} if content else {})
    for is_last in (False, True):
        token = access_token(registration, scopes)
        try:
            return send(
                url, method, body=body, headers=headers | {"Authorization": f"Bearer {token}"}
            )
        except PlatformFailed as failure:
            if failure.status != HTTPStatus.UNAUTHORIZED:
                raise
            # The platform may have forgotten its tokens.
            forget_token(registration, scopes)
            if is_last:
                raise
    raise AssertionError("unreachable")


def check_origin(url: str, known: str) -> str:
    """Return an address that a service named, if it is of the same origin: it gets our token.

    Raises PlatformFailed platform_unreadable.
    """
    is_plain = url.isascii() and url.isprintable()
    if not is_plain or not origin_of(url) or origin_of(url) != origin_of(known):
        sentence = "The platform's answer names an address of another origin."
        raise PlatformFailed("platform_unreadable", sentence)
    return url


def with_query(url: str, **fields: str) -> str:
    """Return an address with more fields in its query; Moodle's addresses have some already.

    Raises PlatformFailed platform_address.
    """
    if not origin_of(url):
        raise PlatformFailed("platform_address", "The platform names no web address.")
    parts = urlsplit(url)
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *fields.items()])
    return urlunsplit(parts._replace(query=query, fragment=""))


def below(url: str, name: str) -> str:
    """Return the address of a part, such as the scores of a column, before any query."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/{name}", fragment=""))
