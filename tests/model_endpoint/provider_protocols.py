"""A server on loopback that speaks the protocol of each locked provider, by the request's path.

The prompt names the provider and what is done (`Behave: groq.auth.`): `good`, `truncated`, `filtered`,
`slow` (no answer), `cut` (its end is missing), or a refusal (provider_refusals.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.factories.model_server import Handler
from tests.model_endpoint.provider_refusals import refusal_of

GOOD, PART = json.dumps({"sum": 5}), '{"su'
BEHAVIOUR = re.compile(r"Behave: (\w+)\.([\w-]+)\.")
ENDINGS = {
    "/v1/messages": "anthropic",
    "/v2/chat": "cohere",
    ":generateContent": "google",
    "/api/chat": "ollama",
    "/converse": "bedrock",
    "/chat/completions": "openai",
}


class ProtocolHandler(Handler):
    """Remembers requests as path, headers and body."""

    def do_POST(self) -> None:  # noqa: N802 -- the library's own name
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        body = json.loads(text)
        request = {"path": self.path, "headers": dict(self.headers), "body": body}
        with self.server.lock:
            self.server.requests.append(request)
        match = BEHAVIOUR.search(text)
        provider, behaviour = match.groups() if match else ("", "good")
        if behaviour == "slow":
            self.server.stopped.wait(20)
            self.close_connection = True
        elif behaviour == "cut":
            self._cut_off()
        elif refusal := refusal_of(provider, behaviour):
            self._send(*refusal)
        else:
            self._send(200, PROTOCOLS[protocol_of(self.path)](behaviour, body))

    def _cut_off(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1000")
        self.end_headers()
        self.wfile.write(b'{"id": "an-an')
        self.close_connection = True


def protocol_of(path: str) -> str:
    path = path.partition("?")[0]
    return next(protocol for ending, protocol in ENDINGS.items() if path.endswith(ending))


def _anthropic(behaviour: str, _body: dict[str, Any]) -> dict[str, Any]:
    use = {"type": "tool_use", "id": "t-1", "name": "answer", "input": json.loads(GOOD)}
    text = {"type": "text", "text": PART}
    reason = {"truncated": "max_tokens", "filtered": "refusal"}.get(behaviour, "tool_use")
    return {
        "id": "m-1",
        "type": "message",
        "role": "assistant",
        "model": "a-model",
        "content": [use] if behaviour == "good" else [text],
        "stop_reason": reason,
        "usage": {"input_tokens": 36, "cache_read_input_tokens": 64, "output_tokens": 20},
    }


def _bedrock(behaviour: str, _body: dict[str, Any]) -> dict[str, Any]:
    use = {"toolUse": {"toolUseId": "t-1", "name": "answer", "input": json.loads(GOOD)}}
    reasons = {"truncated": "max_tokens", "filtered": "guardrail_intervened"}
    content = [use] if behaviour == "good" else [{"text": PART}]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": reasons.get(behaviour, "tool_use"),
        "usage": {"inputTokens": 100, "outputTokens": 20, "totalTokens": 120},
        "metrics": {"latencyMs": 1},
    }


def _cohere(behaviour: str, _body: dict[str, Any]) -> dict[str, Any]:
    text = GOOD if behaviour == "good" else PART
    return {
        "id": "c-1",
        "finish_reason": "MAX_TOKENS" if behaviour == "truncated" else "COMPLETE",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        "usage": {"tokens": {"input_tokens": 100, "output_tokens": 20}},
    }


def _google(behaviour: str, _body: dict[str, Any]) -> dict[str, Any]:
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}
    if behaviour == "filtered":
        return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage}
    text = GOOD if behaviour == "good" else PART
    reason = "MAX_TOKENS" if behaviour == "truncated" else "STOP"
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [{"content": content, "finishReason": reason, "index": 0}],
        "usageMetadata": {**usage, "cachedContentTokenCount": 64},
    }


def _ollama(behaviour: str, _body: dict[str, Any]) -> dict[str, Any]:
    text = GOOD if behaviour == "good" else PART
    return {
        "model": "a-model",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "length" if behaviour == "truncated" else "stop",
        "prompt_eval_count": 100,
        "eval_count": 20,
    }


def _openai(behaviour: str, body: dict[str, Any]) -> dict[str, Any]:
    text = GOOD if behaviour == "good" else "" if behaviour == "filtered" else PART
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if "tools" in body and text:
        function = {"name": "answer", "arguments": text}
        call = {"id": "t-1", "type": "function", "function": function}
        message |= {"content": "", "tool_calls": [call]}
    reason = {"truncated": "length", "filtered": "content_filter"}.get(behaviour, "stop")
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 0,
        "model": "a-model",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


PROTOCOLS: dict[str, Callable[[str, dict[str, Any]], dict[str, Any]]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "cohere": _cohere,
    "google": _google,
    "ollama": _ollama,
    "openai": _openai,
}
