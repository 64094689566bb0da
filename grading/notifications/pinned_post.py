"""One POST to an address of a stranger's choosing: to what was pinned, within seconds, following nothing."""

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

SECONDS = 10.0  # for all of it
MOST_ANSWER_BYTES = 2000
MOST_ANSWER_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of it. `status` is null where nothing answered; `error` is a sentence, empty where it was taken (2xx)."""

    status: int | None
    text: str
    error: str

    @property
    def is_taken(self) -> bool:
        return not self.error


def post(pinned: Pinned, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send the body and read how the answer begins. Raises nothing that the other side can cause."""
    until = monotonic() + SECONDS
    try:
        with (
            _connected(pinned, until) as raw,
            _cut_off(raw, until),
            _spoken(raw, pinned) as connection,
        ):
            answer = _exchanged(connection, pinned, body, headers)
    except (
        OSError,
        http.client.HTTPException,
        ValueError,
    ) as error:  # ValueError: a length that is no number
        answer = _nothing(_words_of(error))
    return answer if monotonic() < until else _nothing(f"No answer within {SECONDS:g} seconds.")


def _connected(pinned: Pinned, until: float) -> socket.socket:
    """To the first of the pinned addresses that answers."""
    for place, address in enumerate(pinned.addresses, start=1):
        try:
            return socket.create_connection((address, pinned.port), timeout=_left(until))
        except OSError:
            if place == len(pinned.addresses) or monotonic() >= until:
                raise
    raise OSError("no address")


@contextmanager
def _cut_off(raw: socket.socket, until: float) -> Iterator[None]:
    """Ends it for whoever answers a byte at a time, which no timeout of a socket does."""
    with raw.dup() as ours:  # a socket that speaks TLS takes the first one over
        timer = Timer(_left(until), _hang_up, args=(ours,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _spoken(raw: socket.socket, pinned: Pinned) -> socket.socket:
    """The name is for the certificate alone."""
    if not pinned.is_tls:
        return raw
    return ssl.create_default_context().wrap_socket(raw, server_hostname=pinned.host)


def _exchanged(
    connection: socket.socket, pinned: Pinned, body: bytes, headers: Mapping[str, str]
) -> Answer:
    speaking = http.client.HTTPConnection(pinned.host, pinned.port)
    speaking.sock, speaking.auto_open = connection, 0
    speaking.request(
        "POST", pinned.target, body=body, headers={**headers, "Host": pinned.authority}
    )
    answer = speaking.getresponse()
    text = answer.read(MOST_ANSWER_BYTES).decode(errors="replace").replace("\x00", "")
    answer.close()
    return Answer(answer.status, text[:MOST_ANSWER_CHARACTERS], _fault_of(answer.status))


def _words_of(error: Exception) -> str:
    match error:
        case ssl.SSLCertVerificationError():
            return f"Its certificate is not trusted: {error.verify_message.rstrip('.')}."
        case ssl.SSLError() | http.client.HTTPException() | ValueError():
            return f"No answer that can be read ({type(error).__name__})."
        case _:
            return f"Not reached: {getattr(error, 'strerror', None) or error}."


def _fault_of(status: int) -> str:
    match status // 100:
        case 2:
            return ""
        case 3:
            return "It leads to another address, which is not followed: give that one."
        case _:
            return f"It answered {status}."


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # it has ended meanwhile
        return


def _left(until: float) -> float:
    return max(until - monotonic(), 0.001)


def _nothing(sentence: str) -> Answer:
    return Answer(None, "", sentence[:300])
