"""Refusal of connections to other than public addresses, for calls to an address of a tenant.

A check of the name before the call is not enough: a name may resolve anew, and an answer may
redirect. So each connection of these calls is checked while it is made, whichever library makes it:
the interpreter raises an audit event for every connect (decision 19).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

from courtroom.analysis.git.repository_addresses import is_public, system_addresses

_is_limited: ContextVar[bool] = ContextVar("is_limited", default=False)


class PrivateAddressRefused(OSError):
    """Refusal of a connection to an address that is not public."""


@contextmanager
def public_connections_only() -> Iterator[None]:
    """Refuse, in this context and the tasks begun in it, connections to private addresses.

    The proxies that the environment names may be reached: then they decide what is.
    """
    _install_hook(_proxy_addresses())
    token = _is_limited.set(True)
    try:
        yield
    finally:
        _is_limited.reset(token)


@cache
def _install_hook(exempt: frozenset[str]) -> None:
    """Install the check for this process: a hook cannot be removed, so it looks at the context."""

    def refuse_private(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "socket.connect" or not _is_limited.get():
            return
        # The address of a socket of this machine's own files is a text.
        address = arguments[1]
        if isinstance(address, tuple) and not (is_public(address[0]) or address[0] in exempt):
            raise PrivateAddressRefused("The address is on a private network.")

    sys.addaudithook(refuse_private)


@cache
def _proxy_addresses() -> frozenset[str]:
    hosts = {urlsplit(address).hostname for address in getproxies().values()}
    return frozenset(address for host in hosts if host for address in _addresses_of(host))


def _addresses_of(host: str) -> tuple[str, ...]:
    try:
        return system_addresses(host)
    except OSError:
        # A proxy without an address lets nothing through, and is none to exempt.
        return ()
