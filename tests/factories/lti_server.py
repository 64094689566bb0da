"""A learning platform on loopback: its keys, its tokens, and signed messages about its people.

Messages and the checks of ours are by lti1p3platform, a library for platforms by other authors.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from tests.factories.lti import private_key

KEY_ID = "platform-key-1"


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class LtiServer:
    """`keys` are published; `answers` are given by path, each a status and JSON or bytes."""

    port: int = 0
    keys: dict[str, rsa.RSAPrivateKey] = field(default_factory=lambda: {KEY_ID: private_key()})
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    # What a browser sees there, if anything: answers None to what programs ask for.
    pages: Callable[[Request], tuple[int, Any] | None] = lambda _: None
    # Roster and gradebook of a course, if it has them: answers may have headers.
    services: Callable[[Request], tuple[Any, ...] | None] = lambda _: None

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def names(self) -> dict[str, str]:
        """Return its addresses, as LtiRegistration has them."""
        return {
            "issuer": self.issuer,
            "login_url": f"{self.issuer}/auth",
            "token_url": f"{self.issuer}/token",
            "jwks_url": f"{self.issuer}/keys",
        }

    def asked(self, path: str) -> list[Request]:
        return [request for request in self.requests if urlsplit(request.path).path == path]

    def signed(self, claims: dict[str, Any], *, key_id: str = KEY_ID) -> str:
        headers = {"kid": key_id}
        return jwt.encode(claims, self.keys[key_id], algorithm="RS256", headers=headers)

    def answer_to(self, request: Request) -> tuple[Any, ...]:
        if page := self.pages(request):
            return page
        path = urlsplit(request.path).path
        if path in self.answers:
            return self.answers[path]
        if answer := self.services(request):
            return answer
        if path == "/keys":
            return 200, {"keys": [_jwk(key_id, key) for key_id, key in self.keys.items()]}
        if path == "/token":
            return 200, {"access_token": f"token-{time.monotonic_ns()}", "expires_in": 3600}
        return 404, {"error": "not found"}


def _jwk(key_id: str, key: rsa.RSAPrivateKey) -> dict[str, Any]:
    public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {"kty": "RSA", "n": public["n"], "e": public["e"], "kid": key_id, "use": "sig"}


@contextmanager
def lti_serving() -> Iterator[LtiServer]:
    platform = LtiServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def do_PUT(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(self.command, self.path, dict(self.headers.items()), body)
            platform.requests.append(request)
            status, content, *headers = platform.answer_to(request)
            text = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            is_json = not isinstance(content, bytes)
            self.send_header("Content-Type", "application/json" if is_json else "text/html")
            self.send_header("Content-Length", str(len(text)))
            for name, value in headers[0].items() if headers else ():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    platform.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield platform
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
