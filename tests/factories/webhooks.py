"""Webhooks, and a real HTTP server on loopback that is told."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import factory
from standardwebhooks import Webhook as StandardWebhook
from standardwebhooks import WebhookVerificationError

from grading.core.enums import WEBHOOK_EVENTS, WebhookEvent
from grading.models import Webhook, WebhookDelivery
from grading.notifications.webhook_signatures import sealed
from tests.factories.people import OrganizationFactory, TenantFactory

# 24 bytes, as few as Standard Webhooks allows.
SECRET = "whsec_c2VjcmV0IG9mIGEgdGVzdCwgcmVhbGx5"


class WebhookFactory(TenantFactory):
    class Meta:
        model = Webhook

    organization = factory.SubFactory(OrganizationFactory)
    url = "https://hooks.example/told"
    sealed_secret = factory.LazyFunction(lambda: sealed(SECRET))
    events = factory.LazyFunction(lambda: [event.value for event in WEBHOOK_EVENTS])


class WebhookDeliveryFactory(TenantFactory):
    class Meta:
        model = WebhookDelivery

    webhook = factory.SubFactory(WebhookFactory)
    organization = factory.SelfAttribute("webhook.organization")
    event = WebhookEvent.TEST
    payload = factory.LazyFunction(lambda: {"event": "webhook.test"})


@dataclass
class Told:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def payload(self) -> dict[str, Any]:
        return dict(json.loads(self.body))

    def is_signed_with(self, secret: str) -> bool:
        """As receivers of the next version: the package of Standard Webhooks checks it."""
        try:
            StandardWebhook(secret).verify(self.body, self.headers)
        except WebhookVerificationError:
            return False
        return True

    def is_signed_as_before(self, secret: str) -> bool:
        """As receivers of 0.1 check the older header."""
        parts = dict(part.split("=", 1) for part in self.headers["Auditor-Signature"].split(","))
        signed = f"{parts['t']}.".encode() + self.body
        return hmac.compare_digest(
            hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest(), parts["v1"]
        )


@dataclass
class Receiver:
    """`answers` are given to the next requests in place of 204, one each: raw bytes of an HTTP
    answer. `before_answer` may wait.
    """

    port: int = 0
    told: list[Told] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    before_answer: Callable[[], object] = lambda: None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/told?by=auditor"


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.told.append(Told(self.path, dict(self.headers.items()), body))
            receiver.before_answer()
            answer = (
                receiver.answers.pop(0) if receiver.answers else b"HTTP/1.1 204 No Content\r\n\r\n"
            )
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.port = server.server_address[1]
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()

    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
