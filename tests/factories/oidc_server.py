"""An OpenID Connect issuer on loopback: it says who Ada is to whoever brings the code."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def ada() -> dict[str, Any]:
    return {"sub": "ada", "email": "ada@example.org", "email_verified": True, "name": "Ada"}


@dataclass
class OidcServer:
    """`claims` is what /userinfo answers; when `broken`, every answer is 500."""

    url: str = ""
    claims: dict[str, Any] = field(default_factory=ada)
    broken: bool = False

    def answer(self, path: str, body: str) -> dict[str, Any] | None:
        """None where there is nothing to say, as to a code that was never given."""
        if self.broken or (path == "/token" and "code=a+code" not in body.split("&")):
            return None

        answers: dict[str, dict[str, Any]] = {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            },
            "/token": {"access_token": "for userinfo only", "token_type": "Bearer"},
            "/userinfo": self.claims,
        }

        return answers.get(path)


@contextmanager
def serve_oidc() -> Iterator[OidcServer]:
    """The issuer, while the block runs."""
    issuer = OidcServer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            answer = issuer.answer(self.path, sent)
            body = json.dumps(answer or {}).encode()
            self.send_response(500 if answer is None else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 -- the library's own name

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's own name
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        try:
            yield issuer
        finally:
            server.shutdown()
