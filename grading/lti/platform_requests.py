"""Requests of the site to a learning platform, whose addresses an organization's owner chose.

Like webhooks they go to public hosts alone (grading/engine/repository_addresses.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from grading.core.errors import PlatformFailed, PlatformRefused, WebhookRefused
from grading.engine.pinned_requests import Reply, exchange
from grading.engine.repository_addresses import Pinned, pinned

MOST_BYTES = 1_000_000
MOST_WORDS = 300
OK, REDIRECT = 200, 300
# Part of a header's value: nothing that could end it, and no user's name.
_HOST = re.compile(r"[A-Za-z0-9.\-\[\]:]+")


def check_address(field: str, url: str) -> Pinned:
    """Return an address that the site may connect to. Raises PlatformRefused for the field."""
    try:
        return pinned(url)
    except WebhookRefused as refusal:
        raise PlatformRefused(field, refusal.code, refusal.sentence) from refusal


def origin_of(address: str) -> str:
    """Return the origin of a web address, such as https://example.org; "" for anything else."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not _HOST.fullmatch(parts.netloc):
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def get_json(url: str, *, headers: Mapping[str, str] | None = None) -> Any:
    """Return the JSON at an address. Raises PlatformFailed."""
    accept = {"Accept": "application/json"} | dict(headers or {})
    return json_of(send(url, "GET", headers=accept))


def post_form(url: str, fields: Mapping[str, str]) -> Any:
    """Send a form, and return the JSON of the answer. Raises PlatformFailed."""
    headers = {
        "Accept": "application/json",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    return json_of(send(url, "POST", body=urlencode(fields).encode(), headers=headers))


def post_json(url: str, content: Any, *, headers: Mapping[str, str]) -> Any:
    """Send JSON, and return that of the answer. Raises PlatformFailed."""
    types = {"Accept": "application/json", "Content-Type": "application/json"}
    body = json.dumps(content).encode()
    return json_of(send(url, "POST", body=body, headers=types | dict(headers)))


def send(url: str, method: str, *, body: bytes | None = None, headers: Mapping[str, str]) -> Reply:
    """Send a request, and return an accepted answer (2xx). Raises PlatformFailed.

    platform_address: the address is not allowed. platform_away: no answer. platform_refuses: another
    status, with the platform's words.
    """
    try:
        place = check_address("", url)
    except PlatformRefused as refusal:
        # A name that is not found now may be found in a minute.
        code = "platform_away" if refusal.code == "url_unresolvable" else "platform_address"
        raise PlatformFailed(code, refusal.sentence) from refusal
    reply = exchange(place, method, body=body, headers=headers, most_bytes=MOST_BYTES)
    if reply.status is None:
        raise PlatformFailed("platform_away", f"{place.host} did not answer: {reply.error}")
    if not OK <= reply.status < REDIRECT:
        words = _words_of(reply)
        sentence = f"{place.host} answered {reply.status}" + (f": {words}" if words else ".")
        raise PlatformFailed("platform_refuses", sentence, status=reply.status, answer=words)
    return reply


def json_of(reply: Reply) -> Any:
    """Return an answer's JSON. Raises PlatformFailed platform_unreadable."""
    try:
        # A body that was cut is no JSON any more, unless it ends with blanks.
        return json.loads(b"" if reply.is_cut else reply.body)
    except (ValueError, RecursionError) as error:
        raise PlatformFailed(
            "platform_unreadable",
            "The platform's answer is not JSON that can be read.",
            status=reply.status,
        ) from error


def _words_of(reply: Reply) -> str:
    text = reply.body.decode(errors="replace").replace("\x00", "")
    return " ".join(text.split())[:MOST_WORDS]
