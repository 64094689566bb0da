"""A model endpoint on loopback that speaks the OpenAI protocol and behaves as it is told.

The behaviour is the model's name: `good`, `good-4`, `refusing`, `truncated`, `malformed`, `out-of-range`,
`extra-key`, `empty-choices`, `busy` (429 once, then good), `broken` (500), `dripping`, `unauthorised`, `inventive`,
`half-a-pair` (a lone surrogate).
"""

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Desk(ThreadingHTTPServer):
    """Remembers every request it received."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.stopped = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Desk

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.requests.append(body)
        model = body["model"]
        self.server.seen[model] += 1
        if model == "busy" and self.server.seen[model] == 1:
            return self._send(
                429, {"error": {"message": "slow down", "code": "rate_limit"}}, {"retry-after": "0"}
            )
        if model == "broken":
            return self._send(500, {"error": {"message": "out of order"}}, {"retry-after-ms": "1"})
        if model == "unauthorised":
            return self._send(401, {"error": {"message": "bad key", "code": "invalid_api_key"}})
        if model == "dripping":
            return self._drip()
        return self._send(200, _completion(body))

    def _send(self, status, value, headers=()):
        payload = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        for name, text in dict(headers).items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(payload)

    def _drip(self):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1000")
        self.end_headers()
        begin = time.monotonic()
        while not self.server.stopped.wait(0.05) and time.monotonic() - begin < 20:
            try:
                self.wfile.write(b" ")
            except OSError:
                return

    def log_message(self, *_):
        """Quiet: the requests are remembered instead."""


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    model = body["model"]
    schema = body["response_format"]["json_schema"]["schema"]
    ids = schema["properties"]["cited_evidence"]["items"].get("enum", [])
    answer = {"reasoning": "Because.", "cited_evidence": ids[:1], "score": 4}
    message: dict[str, Any] = {"role": "assistant", "content": json.dumps(answer), "refusal": None}
    finish = "stop"
    if model == "refusing":
        message |= {"content": None, "refusal": "I will not judge this."}
    if model == "truncated":
        message["content"], finish = '{"reasoning": "Bec', "length"
    if model == "malformed":
        message["content"] = "Score: four out of five."
    if model == "out-of-range":
        message["content"] = json.dumps(answer | {"score": 9})
    if model == "half-a-pair":
        message["content"] = json.dumps(answer | {"reasoning": "Because \ud800."})
    if model == "extra-key":
        message["content"] = json.dumps(answer | {"bonus": 1})
    if model == "inventive":
        message["content"] = json.dumps(answer | {"cited_evidence": [*ids[:1], "E-deadbeef"]})
    choices = [] if model == "empty-choices" else [{"index": 0, "message": message, "finish_reason": finish}]
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": choices,
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 20,
            "total_tokens": 120,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
    }


@contextmanager
def model_endpoint() -> Iterator[Desk]:
    desk = Desk()
    thread = threading.Thread(target=desk.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield desk
    finally:
        desk.stopped.set()
        desk.shutdown()
        desk.server_close()
        thread.join()
