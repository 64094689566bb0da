"""Checks of URLs given by users to which the site itself connects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings

from grading.core.errors import WebhookRefused

# The length is that of the column (models/webhook.py).
LONGEST_URL, HTTPS_PORT = 500, 443
_PRINTABLE = re.compile(r"[!-~]*")
WHOLE = "Give the whole address, such as https://example.org/hooks/audits, without anything from a “#” on."
_SENTENCES = {  # the courtroom speaks of repositories
    "url_malformed": WHOLE,
    "url_not_https": "Give an address that begins with https://: what is sent must not be read on its way.",
}


@dataclass(frozen=True, slots=True)
class Pinned:
    """Checked URL with the IP addresses its host had then: no others are connected to.

    `target` is the path and the query; `is_tls` is false only for this machine's loopback.
    """

    host: str
    port: int
    target: str
    addresses: tuple[str, ...]
    is_tls: bool

    @property
    def authority(self) -> str:
        """Return the value of the Host header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTPS_PORT else f"{host}:{self.port}"


def completed(address: str) -> str:
    """Return a repository's address with its scheme: github.com/you/project is meant as https."""
    from courtroom.analysis.git.repository_addresses import with_scheme

    return with_scheme(address, allow_local=settings.ALLOW_LOCAL_REPOSITORIES)


def pinned(url: str) -> Pinned:
    """Check a URL like a repository's, and resolve it. Raises WebhookRefused for url.

    It must be https on port 443 at a public host without a password; on a developer's machine (with
    ALLOW_LOCAL_REPOSITORIES) http on loopback works, too. Unlike a repository's, it may have a
    query.
    """
    from courtroom import CourtroomError
    from courtroom.analysis.git.repository_addresses import check_url

    # The courtroom refuses any query, so it is cut off and checked here.
    before, _, query = url.partition("?")
    if len(url) > LONGEST_URL or "#" in url or not _PRINTABLE.fullmatch(query):
        raise WebhookRefused("url", "url_malformed", WHOLE)
    try:
        checked = check_url(before, allow_local=settings.ALLOW_LOCAL_REPOSITORIES)
    except CourtroomError as error:
        raise WebhookRefused(
            "url", error.code, _SENTENCES.get(error.code, error.message)
        ) from error
    if checked.pin is None:  # a path on this machine
        raise WebhookRefused("url", "url_not_https", _SENTENCES["url_not_https"])
    parts = urlsplit(checked.url)
    port = parts.port or HTTPS_PORT

    # A pin is a value of git's http.curloptResolve: host:port:address,address.
    addresses = checked.pin.removeprefix(f"{parts.netloc.removesuffix(f':{port}')}:{port}:").split(
        ","
    )
    return Pinned(
        host=parts.hostname or "",
        port=port,
        target=(parts.path or "/") + (f"?{query}" if query else ""),
        addresses=tuple(address.strip("[]") for address in addresses),
        is_tls=checked.protocol == "https",
    )
