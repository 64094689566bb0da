"""A POST goes to the addresses that were pinned, under the name that its certificate must carry, and ends in time."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server, socket

import pytest
from cryptography.x509 import DNSName

from grading.engine import pinned_requests
from grading.engine.repository_addresses import Pinned
from grading.notifications.pinned_post import Answer, post
from tests.factories.certificates import write_certificate

NAME = "hooks.example"  # no name server knows it: whoever reaches it went to what was pinned
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@contextmanager
def serving(answer: Callable[[socket], None]) -> Iterator[int]:
    """One connection on loopback, and its port."""

    def serve() -> None:
        with listening.accept()[0] as connection:
            try:
                answer(connection)
            except OSError:  # the client hung up, as some of these tests want it to
                return

    with create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve)
        thread.start()
        yield int(listening.getsockname()[1])
        thread.join()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate for NAME that it has signed itself, in one file."""
    return write_certificate(tmp_path_factory.mktemp("tls") / "both.pem", DNSName(NAME))


def over_tls(certificate: Path, heard: list[bytes]) -> Callable[[socket], None]:
    def answer(raw: socket) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        with context.wrap_socket(raw, server_side=True) as connection:
            request = b""
            while not request.endswith(b"{}"):
                request += connection.recv(4096)
            heard.append(request)
            connection.sendall(OK)

    return answer


def posted(port: int, *, host: str = NAME, is_tls: bool = False) -> Answer:
    pinned = Pinned(host, port, "/told", ("127.0.0.2", "127.0.0.1"), is_tls=is_tls)
    return post(pinned, b"{}", {"Content-Type": "application/json"})


def test_it_goes_to_the_pinned_addresses_under_the_name(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    heard: list[bytes] = []
    with serving(over_tls(certificate, heard)) as port:
        assert posted(port, is_tls=True) == Answer(200, "ok", "")
    assert f"\r\nHost: {NAME}:{port}\r\n".encode() in heard[0]


@pytest.mark.parametrize(
    ("host", "is_known", "words"),
    [
        (NAME, False, "The certificate isn't trusted: self-signed certificate."),
        (
            "other.example",
            True,
            "The certificate isn't trusted: Hostname mismatch, certificate is not valid for 'other.example'.",
        ),
    ],
)
def test_who_cannot_show_the_names_certificate_is_told_nothing(
    certificate, monkeypatch, host, is_known, words
):
    if is_known:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    heard: list[bytes] = []
    with serving(over_tls(certificate, heard)) as port:
        assert posted(port, host=host, is_tls=True) == Answer(None, "", words)
    assert heard == []


def drip(connection: socket) -> None:
    """A header that never ends, a byte at a time."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    while True:
        connection.sendall(b"x")
        threading.Event().wait(0.02)


def silence(connection: socket) -> None:
    while connection.recv(4096):
        continue


@pytest.mark.parametrize(("answer", "is_tls"), [(drip, False), (silence, False), (silence, True)])
def test_who_takes_longer_is_cut_off(answer, is_tls, monkeypatch):
    monkeypatch.setattr(pinned_requests, "SECONDS", 0.3)
    with serving(answer) as port:
        assert posted(port, is_tls=is_tls) == Answer(None, "", "No answer within 0.3 seconds.")


def test_plain_bytes_in_place_of_tls_cannot_be_read():
    with serving(drip) as port:
        assert posted(port, is_tls=True) == Answer(None, "", "The answer can't be read (SSLError).")


def test_a_long_answer_is_not_read_to_its_end():
    def endless(connection: socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"y" * 65536)

    with serving(endless) as port:
        assert posted(port) == Answer(200, "y" * 500, "")
