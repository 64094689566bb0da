"""HTTP requests to a URL that a user chose: to its pinned addresses, within seconds, without redirects."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Timer
from time import monotonic

from grading.engine.repository_addresses import Pinned

# Deadline of the whole exchange.
SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer to a request; `status` is None without one, and `error` then says why in a sentence.

    `body` ends at the limit of the request; one beyond it `is_cut`. Names of `headers` are in
    lower case.
    """

    status: int | None
    body: bytes = b""
    error: str = ""
    is_cut: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


def exchange(
    pinned: Pinned,
    method: str,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str],
    most_bytes: int,
) -> Reply:
    """Send a request and read the answer up to a limit. Never raises because of the other side."""
    until = monotonic() + SECONDS
    try:
        with (
            _connect(pinned, until) as raw,
            _enforce_deadline(raw, until),
            _start_tls(raw, pinned) as connection,
        ):
            reply = _converse(connection, pinned, method, body, headers, most_bytes)
    # ValueError: a Content-Length that is no number.
    except (OSError, http.client.HTTPException, ValueError) as error:
        reply = Reply(None, error=_sentence_of(error)[:300])
    if monotonic() < until:
        return reply
    return Reply(None, error=f"No answer within {SECONDS:g} seconds.")


def _connect(pinned: Pinned, until: float) -> socket.socket:
    """Connect to the first pinned address that answers."""
    for place, address in enumerate(pinned.addresses, start=1):
        try:
            return socket.create_connection((address, pinned.port), timeout=_left(until))
        except OSError:
            if place == len(pinned.addresses) or monotonic() >= until:
                raise
    raise OSError("no address")


@contextmanager
def _enforce_deadline(raw: socket.socket, until: float) -> Iterator[None]:
    """Close the connection at the deadline."""
    # A socket's timeout starts anew with each byte: a server that drips bytes would hold us.
    # The duplicate stays ours when TLS takes over the first socket.
    with raw.dup() as ours:
        timer = Timer(_left(until), _shut_down, args=(ours,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _start_tls(raw: socket.socket, pinned: Pinned) -> socket.socket:
    if not pinned.is_tls:
        return raw
    # The name is for the certificate alone: it is not looked up again.
    return ssl.create_default_context().wrap_socket(raw, server_hostname=pinned.host)


def _converse(
    connection: socket.socket,
    pinned: Pinned,
    method: str,
    body: bytes | None,
    headers: Mapping[str, str],
    most_bytes: int,
) -> Reply:
    client = http.client.HTTPConnection(pinned.host, pinned.port)
    # Never connect by itself: that would look the name up again.
    client.sock, client.auto_open = connection, 0
    client.request(method, pinned.target, body=body, headers={**headers, "Host": pinned.authority})
    answer = client.getresponse()
    content = answer.read(most_bytes + 1)
    answer.close()
    names = {name.lower(): value for name, value in answer.getheaders()}
    is_cut = len(content) > most_bytes
    return Reply(answer.status, content[:most_bytes], is_cut=is_cut, headers=names)


def _sentence_of(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"The certificate isn't trusted: {error.verify_message.rstrip('.')}."
        case ssl.SSLError() | http.client.HTTPException() | ValueError():
            return f"The answer can't be read ({type(error).__name__})."
        case _:
            return f"We couldn't connect: {getattr(error, 'strerror', None) or error}."


def _shut_down(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # The connection has ended already.
        return


def _left(until: float) -> float:
    return max(until - monotonic(), 0.001)
