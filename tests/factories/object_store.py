"""A real S3 server over HTTP, and a proxy in front of it that lets requests fail.

The server is rclone's (docs/decisions/0017-uploads-in-a-bucket.md): it checks signatures, and keeps
objects in a folder.
"""

from __future__ import annotations

import http.client
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.core.files.storage import default_storage

RCLONE = Path(sys.executable).with_name("rclone")
KEY, SECRET = "a-key", "a/secret+with=signs"
ENCODED_SECRET = "a%2Fsecret%2Bwith%3Dsigns"
PATIENCE_SECONDS = 60
POLL_SECONDS = 0.02
SLOW_SECONDS = 0.2
CUT = 100
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "expect"}


def bucket_in_use() -> Any:
    """The site's storage, which is a bucket: with its client, by which a test changes the bucket."""
    storage: Any = default_storage
    return storage


def make_bucket(name: str) -> None:
    bucket_in_use()._client.create_bucket(Bucket=name)


def empty_bucket() -> None:
    client, bucket = bucket_in_use()._client, bucket_in_use()._bucket
    for entry in client.list_objects_v2(Bucket=bucket).get("Contents", ()):
        client.delete_object(Bucket=bucket, Key=entry["Key"])


def delete_bucket() -> None:
    empty_bucket()
    bucket_in_use()._client.delete_bucket(Bucket=bucket_in_use()._bucket)


@contextmanager
def serve_buckets(folder: Path, *options: str) -> Iterator[str]:
    """Serve each folder below as a bucket; yield `host:port`."""
    command = [str(RCLONE), "serve", "s3", str(folder), "--addr", "127.0.0.1:0", *options]
    # From the environment, so that no list of processes shows the secret.
    environment = {"RCLONE_AUTH_KEY": f'"{KEY},{SECRET}"', "RCLONE_CONFIG": ""}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stderr
        listening = (re.search(r"https?://(127\.0\.0\.1:\d+)", line) for line in server.stderr)
        try:
            yield next(match[1] for match in listening if match)
        finally:
            server.terminate()


class Forward(BaseHTTPRequestHandler):
    """Sends a request on as it came, so that its signature stays valid, and the answer back."""

    protocol_version = "HTTP/1.1"
    server: StoreProxy

    def handle_request(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.server.requests.append(f"{self.command} {urlsplit(self.path).path}")
        self.server.fault(self, body)

    do_GET = do_HEAD = do_PUT = do_DELETE = handle_request  # noqa: N815 -- their library's names

    def forward(self, body: bytes) -> None:
        status, headers, content = self.ask(body)
        self.answer(status, headers, content)

    def ask(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        connection = http.client.HTTPConnection(self.server.target, timeout=PATIENCE_SECONDS)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
        connection.request(self.command, self.path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, answer.getheaders(), content

    def answer(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in HOP_BY_HOP | {"content-length"}:
                self.send_header(name, value)
        lengths = [value for name, value in headers if name.lower() == "content-length"]
        self.send_header("content-length", lengths[0] if lengths else str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        pass


Fault = Callable[[Forward, bytes], None]


def none(handler: Forward, body: bytes) -> None:
    handler.forward(body)


def server_error(handler: Forward, body: bytes) -> None:
    handler.answer(500, [], b"<Error><Code>InternalError</Code></Error>")


def forbidden(handler: Forward, body: bytes) -> None:
    handler.answer(403, [], b"<Error><Code>AccessDenied</Code></Error>")


def slow(handler: Forward, body: bytes) -> None:
    """Answer late, but in time."""
    handler.server.released.wait(SLOW_SECONDS)
    handler.forward(body)


def truncated(handler: Forward, body: bytes) -> None:
    """Send the first bytes of an answer that promised more, and end the connection."""
    status, headers, content = handler.ask(body)
    handler.answer(status, headers, content[:CUT])
    handler.close_connection = True


def silent(handler: Forward, body: bytes) -> None:
    """Take the request and never answer."""
    handler.server.released.wait(PATIENCE_SECONDS)
    handler.close_connection = True


def cut_off(handler: Forward, body: bytes) -> None:
    """End the connection without an answer."""
    handler.close_connection = True


def answer_lost(handler: Forward, body: bytes) -> None:
    """Do what was asked, and end the connection without an answer."""
    handler.ask(body)
    handler.close_connection = True


def damaged_upload(handler: Forward, body: bytes) -> None:
    """Send on another content than was signed."""
    handler.forward(body[::-1])


def read_only(handler: Forward, body: bytes) -> None:
    (none if handler.command in {"GET", "HEAD"} else forbidden)(handler, body)


def other_bytes(handler: Forward, body: bytes) -> None:
    """Answer with another content of the same length."""
    status, headers, content = handler.ask(body)
    handler.answer(status, headers, content[::-1])


class StoreProxy(ThreadingHTTPServer):
    """Proxy on a port that it keeps; `fault` decides what becomes of each request."""

    daemon_threads = True

    def __init__(self, target: str, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Forward)
        self.target = target
        self.fault: Fault = none
        self.requests: list[str] = []
        self.released = threading.Event()
        self._listen()

    def _listen(self) -> None:
        threading.Thread(target=self.serve_forever, args=(POLL_SECONDS,), daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep silent about clients that went away; all else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @contextmanager
    def failing(self, fault: Fault) -> Iterator[None]:
        self.released.clear()
        self.fault = fault
        try:
            yield
        finally:
            self.fault = none
            self.released.set()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Refuse connections: nobody listens on the port; those that are open end."""
        self.fault = cut_off
        self.shutdown()
        self.server_close()
        try:
            yield
        finally:
            self.fault = none
            self.socket = socket.socket(self.address_family, self.socket_type)
            self.server_bind()
            self.server_activate()
            self._listen()

    def url(self, bucket: str, *, key: str = KEY, secret: str = ENCODED_SECRET) -> str:
        return f"s3://{key}:{secret}@127.0.0.1:{self.server_port}/{bucket}?tls=false"


def first(fault: Fault, times: int = 1) -> Fault:
    """Return a fault of the first requests only."""
    left = iter(range(times))

    def falter(handler: Forward, body: bytes) -> None:
        (none if next(left, None) is None else fault)(handler, body)

    return falter
