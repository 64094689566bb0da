"""A collector of traces on loopback: it keeps each request's bytes, and the spans read from them."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

Tree = dict[str, Any]


class Collector(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[bytes] = []
        self.received: list[tuple[str, dict[str, str]]] = []
        # While it is clear, requests arrive and get no answer.
        self.answers = threading.Event()
        self.answers.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def requests(self) -> list[ExportTraceServiceRequest]:
        return [ExportTraceServiceRequest.FromString(body) for body in self.bodies]

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


class Handler(BaseHTTPRequestHandler):
    server: Collector
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        is_packed = self.headers.get("content-encoding") == "gzip"
        self.server.bodies.append(gzip.decompress(body) if is_packed else body)
        headers = {name.lower(): text for name, text in self.headers.items()}
        self.server.received.append((self.path, headers))
        self.server.answers.wait(20)
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet: the requests are remembered instead."""


@contextmanager
def trace_collector() -> Iterator[Collector]:
    collector = Collector()
    thread = threading.Thread(
        target=collector.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield collector
    finally:
        collector.answers.set()
        collector.shutdown()
        collector.server_close()
        thread.join()


def attributes_of(holder: Any) -> dict[str, Any]:
    """Return the attributes of a span, an event or a resource as plain values."""
    return {pair.key: _plain(pair.value) for pair in holder.attributes}


def events_of(span: Span) -> list[tuple[str, dict[str, Any]]]:
    return [(event.name, attributes_of(event)) for event in span.events]


def tree_of(spans: list[Span]) -> Tree:
    """Return the names of spans, each with those below it; of several that are alike, the number."""
    children: dict[bytes, list[Span]] = {}
    for span in spans:
        children.setdefault(span.parent_span_id, []).append(span)

    def below(parent: bytes) -> Tree:
        branches: Tree = {}
        for span in children.get(parent, []):
            branch, name = below(span.span_id), span.name
            number = 1
            while (key := name if number == 1 else f"{name} {number}") in branches:
                number += 1
            branches[key] = branch
        return branches

    return below(b"")


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(item) for item in value.array_value.values]
    return getattr(value, kind)
