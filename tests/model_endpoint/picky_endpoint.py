"""Endpoints that do not take every form of answer, with the refusals of real servers.

The wordings are those that users of the servers quote in their issues. The model's name says which
server answers.
"""

from __future__ import annotations

import json
from typing import Any

from tests.factories.model_server import USAGE, Handler, citable

TRACEBACK = (
    "Traceback (most recent call last):\n"
    '  File "/srv/llm/venv/lib/python3.11/site-packages/llama_cpp/server/errors.py", line 173, in'
    " custom_route_handler\n    response = await original_route_handler(request)\n"
    "RuntimeError: the model at /srv/llm/models/secret-project.gguf is not loaded"
)
VALIDATION = (
    "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should"
    " be 'text' or 'json_object'\", 'input': 'json_schema', 'ctx': {'expected': \"'text' or"
    " 'json_object'\"}}]\n" + TRACEBACK
)
UNKNOWN_FIELDS = [
    {"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}
    for name in ("store", "max_completion_tokens")
]


def _error(message: str, **fields: Any) -> dict[str, Any]:
    return {"error": {"message": message, **fields}}


SCHEMA_REFUSALS: dict[str, tuple[int, Any]] = {
    "llama-cpp-python": (500, _error(VALIDATION, type="internal_server_error", code=None)),
    "ik-llama": (
        500,
        _error(
            'response_format type must be one of "text" or "json_object", but got: json_schema',
            code=500,
            type="server_error",
        ),
    ),
    "deepseek": (
        400,
        _error(
            "This response_format type is unavailable now",
            type="invalid_request_error",
            param=None,
            code="invalid_request_error",
        ),
    ),
    "deepseek-older": (
        422,
        (
            "Failed to deserialize the JSON body into the target type: response_format:"
            " response_format.type `json_schema` is unavailable now at line 1 column 12440"
        ),
    ),
    "groq": (400, _error("This model does not support response format `json_schema`.")),
    "openai": (
        400,
        _error(
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this"
            " model. Learn more: https://platform.openai.com/docs/guides/structured-outputs",
            param="response_format",
        ),
    ),
    "litellm": (
        400,
        _error(
            "litellm.UnsupportedParamsError: x does not support parameters: ['response_format']"
        ),
    ),
    "vllm": (
        400,
        {
            "object": "error",
            "message": "The provided JSON schema contains features not supported by xgrammar.",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "ollama": (500, {"error": "invalid JSON schema in format"}),
    "ollama-older": (400, {"error": 'invalid format: expected "json" or a JSON schema'}),
    "mistral": (
        422,
        {
            "object": "error",
            "message": {
                "detail": [
                    {
                        "type": "extra_forbidden",
                        "loc": ["body", "response_format", "json_schema"],
                        "msg": "Extra inputs are not permitted",
                    }
                ]
            },
        },
    ),
}
OBJECT_REFUSALS: dict[str, tuple[int, Any]] = {
    # LM Studio takes json_schema, but not for every model.
    "lm-studio": (400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
}
NEITHER = "lm-studio"


class PickyHandler(Handler):
    """Answers an opinion in the form that the server of the model's name takes."""

    def answer(self, body: dict[str, Any], before: int) -> None:
        refusal = refusal_of(body)
        with self.server.lock:
            self.server.refused += refusal is not None
        return self._send(*(refusal or (200, _completion(body))))


def refusal_of(body: dict[str, Any]) -> tuple[int, Any] | None:
    model, form = body["model"], body.get("response_format", {}).get("type", "text")
    if model == "tracing":
        return 500, {"detail": TRACEBACK}
    if model == "strict" and ("store" in body or "max_completion_tokens" in body):
        return 422, {"object": "error", "message": {"detail": UNKNOWN_FIELDS}}
    if form == "json_schema" and model != "strict":
        return SCHEMA_REFUSALS.get(model, SCHEMA_REFUSALS["groq"])
    return OBJECT_REFUSALS.get(model) if form == "json_object" else None


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    """Return an opinion: bare where a form was asked for, else in a fence after some prose."""
    opinion = json.dumps(
        {
            "reasoning": "The checks of this criterion that were met are worth the better part of"
            " its points.",
            "cited_evidence": citable(body["messages"][1]["content"])[:1],
            "score": 4,
        }
    )
    has_form = "response_format" in body
    text = opinion if has_form else f"<think>\nWell.\n</think>\nI say:\n```json\n{opinion}\n```\n"
    return {
        "id": "c-1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "finish_reason": "stop",
            }
        ],
        "usage": USAGE,
    }
