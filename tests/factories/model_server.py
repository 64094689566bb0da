"""A model endpoint on loopback that speaks the OpenAI protocol and behaves as it is told.

The behaviour is the name of the model, as `answer` and `_completion` read it; any other name is
good. `flaky` sends, of ten calls, two malformed answers, two 429 and one 500. `Desk.gather` holds
every good answer back until so many calls have arrived; the first `Desk.ahead` calls go ahead of
that. Pictures are transcribed as `Desk.transcripts` says.
"""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# Long enough for an argument.
REASONING = "The items show that what the criterion asks for is there."
FLAKY = (
    "good",
    "malformed",
    "good",
    "busy-now",
    "good",
    "broken",
    "good",
    "malformed",
    "busy-now",
    "good",
)
USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "total_tokens": 120,
    "prompt_tokens_details": {"cached_tokens": 64},
}


class Desk(ThreadingHTTPServer):
    """Remembers every request it received, how many were in flight at once, and how many asked for
    something else.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler=None):
        super().__init__(("127.0.0.1", 0), handler or Handler)
        self.requests: list[dict[str, Any]] = []
        self.seen: Counter[str] = Counter()
        self.keys: list[str] = []
        self.gather = self.ahead = 0
        self.transcripts: list[dict[str, Any]] = []
        self.now = self.most = self.strangers = self.refused = 0
        self.lock = threading.Lock()
        self.stopped = threading.Event()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def received(self, body: dict[str, Any]) -> int:
        """Record a call; return the number of earlier calls to this model."""
        with self.lock:
            self.requests.append(body)
            self.now += 1
            self.most = max(self.most, self.now)
            self.seen[body["model"]] += 1
            return self.seen[body["model"]] - 1


class Handler(BaseHTTPRequestHandler):
    server: Desk
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if not self.path.startswith("/v1/"):
            return self._turn_away()

        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.keys.append(self.headers["authorization"])
        before = self.server.received(body)

        try:
            return self.answer(body, before)
        finally:
            with self.server.lock:
                self.server.now -= 1

    def _turn_away(self) -> None:
        self.server.strangers += 1
        self.close_connection = True
        self._send(404, {})

    do_GET = _turn_away  # noqa: N815 -- the library's own name

    def answer(self, body: dict[str, Any], before: int) -> None:
        model = FLAKY[before % len(FLAKY)] if body["model"] == "flaky" else body["model"]
        if model == "busy":
            model = "good" if before else "busy-now"
        if model == "dripping":
            return self._drip()
        if model in REFUSALS:
            return self._send(*REFUSALS[model])
        if model == "page":
            return self._send(200, "<p>Welcome</p>")
        if before >= self.server.ahead:
            self._gather(body["model"])

        return self._send(200, _completion({**body, "model": model}, self.server.transcripts))

    def _send(self, status, value, headers=()):
        payload = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        for name, text in dict(headers).items():
            self.send_header(name, text)

        self.end_headers()
        self.wfile.write(payload)

    def _gather(self, model: str) -> None:
        patience = time.monotonic() + 20
        while self.server.seen[model] < self.server.gather and time.monotonic() < patience:
            self.server.stopped.wait(0.005)

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


def _error(code: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "code": code}}


REFUSALS: dict[str, tuple[Any, ...]] = {
    "busy-now": (429, _error("rate_limit", "slow down"), {"retry-after": "0"}),
    "busy-for-long": (429, _error("rate_limit", "slow down"), {"retry-after": "600"}),
    "out-of-quota": (429, _error("insufficient_quota", "pay first"), {"retry-after": "0"}),
    "broken": (500, _error("oops", "out of order"), {"retry-after-ms": "1"}),
    "unauthorised": (401, _error("invalid_api_key", "Incorrect API key provided: sk-se***et")),
    "too-long": (
        400,
        _error("context_length_exceeded", "This model's maximum context length is 5 tokens."),
    ),
    "prompt-filtered": (400, _error("content_filter", "The prompt was filtered.")),
    "bad-request": (400, _error("invalid_request", "Invalid schema for response_format")),
    "unknown": (404, _error("model_not_found", "There is no such model.")),
}


def citable(prompt: str) -> list[str]:
    """Return the ids of evidence in the material of a prompt."""
    return sorted(set(re.findall(r"\bE-[0-9a-f]{4}\b", prompt)))


def material_on(criterion: str, body: dict[str, Any]) -> str:
    """Return the message of a criterion; all messages where none names it."""
    texts = [str(message["content"]) for message in body["messages"]]
    own = [text for text in texts if text.startswith(f"# Criterion {criterion}:")]
    return own[0] if own else "\n".join(texts[1:2])


def _opinion(prompt: str) -> dict[str, Any]:
    return {"reasoning": REASONING, "cited_evidence": citable(prompt), "score": 4}


def _answer(body: dict[str, Any], transcripts: list[dict[str, Any]]) -> dict[str, Any]:
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    if "pictures" in properties:
        return {"pictures": transcripts}
    if "passages" in properties:
        return {"passages": []}
    if "sum" in properties:
        return {"sum": 5}
    if "score" in properties:
        return _opinion(material_on("", body))
    return {name: _opinion(material_on(name, body)) for name in properties}


def _content(model: str, answer: dict[str, Any]) -> str:
    """Return the model's text: a good answer, or a bad one that its name asks for."""
    good = json.dumps(answer)
    cited = answer.get("cited_evidence", [])
    return {
        "truncated": '{"reasoning": "Bec',
        "answer-filtered": "",
        "malformed": "Score: four out of five.",
        "fenced": f"```json\n{good}\n```",
        "out-of-range": json.dumps(answer | {"score": 9}),
        "half-a-pair": json.dumps(answer | {"reasoning": f"{REASONING} \ud800."}),
        "extra-key": json.dumps(answer | {"bonus": 1}),
        "inventive": json.dumps(answer | {"cited_evidence": [*cited, "E-deadbeef"]}),
        "curt": json.dumps(answer | {"reasoning": "Because."}),
        "silent": json.dumps(answer | {"cited_evidence": []}),
        "forgetful": json.dumps(dict(list(answer.items())[1:])),
    }.get(model, good)


def _completion(body: dict[str, Any], transcripts: list[dict[str, Any]]) -> dict[str, Any]:
    model = body["model"]
    if model == "terse":
        model = "truncated" if body["max_completion_tokens"] <= 1200 else "good"

    answer = _answer(body, transcripts)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": _content(model, answer),
        "refusal": None,
    }
    if model == "refusing":
        message |= {"content": None, "refusal": "I will not judge this."}

    finish = {"truncated": "length", "answer-filtered": "content_filter"}.get(model, "stop")
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": []
        if model == "empty-choices"
        else [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": USAGE,
    }


@contextmanager
def model_endpoint(handler: type[Handler] | None = None) -> Iterator[Desk]:
    desk = Desk(handler)
    thread = threading.Thread(
        target=desk.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()

    try:
        yield desk
    finally:
        desk.stopped.set()
        desk.shutdown()
        desk.server_close()
        thread.join()
