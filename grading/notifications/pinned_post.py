"""POST to a URL that a user chose: to its pinned addresses, within seconds, without redirects."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from time import monotonic

from grading.engine.repository_addresses import Pinned

# Deadline of the whole exchange.
SECONDS = 10.0
MAX_ANSWER_BYTES = 2000
MAX_ANSWER_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a POST.

    `status` is None without an answer; `error` is a sentence, empty if it was accepted (2xx).
    """

    status: int | None
    text: str
    error: str

    @property
    def is_accepted(self) -> bool:
        return not self.error


def post(pinned: Pinned, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send the body and read the start of the answer. Never raises because of the other side."""
    until = monotonic() + SECONDS
    try:
        with (
            _connect(pinned, until) as raw,
            _enforce_deadline(raw, until),
            _start_tls(raw, pinned) as connection,
        ):
            answer = _exchange(connection, pinned, body, headers)
    # ValueError: a Content-Length that is no number.
    except (OSError, http.client.HTTPException, ValueError) as error:
        answer = _no_answer(_sentence_of(error))
    return answer if monotonic() < until else _no_answer(f"No answer within {SECONDS:g} seconds.")


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


def _exchange(
    connection: socket.socket, pinned: Pinned, body: bytes, headers: Mapping[str, str]
) -> Answer:
    client = http.client.HTTPConnection(pinned.host, pinned.port)
    # Never connect by itself: that would look the name up again.
    client.sock, client.auto_open = connection, 0
    client.request("POST", pinned.target, body=body, headers={**headers, "Host": pinned.authority})
    answer = client.getresponse()
    text = answer.read(MAX_ANSWER_BYTES).decode(errors="replace").replace("\x00", "")
    answer.close()
    return Answer(answer.status, text[:MAX_ANSWER_CHARACTERS], _status_error(answer.status))


def _sentence_of(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"The certificate isn't trusted: {error.verify_message.rstrip('.')}."
        case ssl.SSLError() | http.client.HTTPException() | ValueError():
            return f"The answer can't be read ({type(error).__name__})."
        case _:
            return f"We couldn't connect: {getattr(error, 'strerror', None) or error}."


def _status_error(status: int) -> str:
    match status // 100:
        case 2:
            return ""
        case 3:
            return "It redirects to another address. Redirects aren't followed: use that address."
        case _:
            return f"It answered {status}."


def _shut_down(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # The connection has ended already.
        return


def _left(until: float) -> float:
    return max(until - monotonic(), 0.001)


def _no_answer(sentence: str) -> Answer:
    return Answer(None, "", sentence[:300])
