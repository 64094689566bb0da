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
ALTERNATE = "conversation roles must alternate user/assistant/user/assistant/..."
JINJA = (
    "\n------------\nWhile executing CallExpression at line 46, column 32 in source:\n"
    f"Error: Jinja Exception: After the optional system message, {ALTERNATE}"
)
# Templates of models that take no two messages of a user in a row.
ALTERNATING: dict[str, tuple[int, Any]] = {
    "vllm-mistral": (
        400,
        {
            "object": "error",
            "message": f"After the optional system message, {ALTERNATE}",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    "lm-studio-ministral": (
        500,
        _error(f"Engine protocol predict request returned 500: {json.dumps(_error(JINJA))}"),
    ),
    "gemini": (
        400,
        [_error("Please ensure that multiturn requests alternate between user and model.")],
    ),
}
# Templates of models that take no system message.
WITHOUT_SYSTEM: dict[str, tuple[int, Any]] = {
    "vllm-gemma": (
        400,
        {
            "object": "error",
            "message": "System role not supported",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
    ),
    "vllm-mistral-older": (
        400,
        {"object": "error", "message": f"C{ALTERNATE[1:]}", "type": "invalid_request_error"},
    ),
    "llama-cpp": (500, _error("Only user and assistant roles are supported!", code=500)),
    "gemini-gemma": (
        400,
        [
            _error(
                "Developer instruction is not enabled for models/gemma-3-27b-it",
                code=400,
                status="INVALID_ARGUMENT",
            )
        ],
    ),
    "o1-mini": (
        400,
        _error(
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            type="invalid_request_error",
            param="messages[0].role",
            code="unsupported_value",
        ),
    ),
}
# Models that reason take no temperature but their own.
WITHOUT_TEMPERATURE: dict[str, tuple[int, Any]] = {
    "gpt-5": (
        400,
        _error(
            "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default"
            " (1) value is supported.",
            type="invalid_request_error",
            param="temperature",
            code="unsupported_value",
        ),
    ),
    "o3": (
        400,
        _error(
            "Unsupported parameter: 'temperature' is not supported with this model.",
            param="temperature",
            code="unsupported_parameter",
        ),
    ),
    "claude": (400, _error("`temperature` may only be set to 1 when thinking is enabled.")),
    "litellm-gpt-5": (
        400,
        _error("litellm.UnsupportedParamsError: gpt-5 models don't support temperature=0.3."),
    ),
}
WANTS_COMPLETION_TOKENS = _error(
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use"
    " 'max_completion_tokens' instead.",
    type="invalid_request_error",
    param="max_tokens",
    code="unsupported_parameter",
)


class PickyHandler(Handler):
    """Answers an opinion in the form that the server of the model's name takes."""

    def answer(self, body: dict[str, Any], before: int) -> None:
        refusal = refusal_of(body)
        with self.server.lock:
            self.server.refused += refusal is not None
        return self._send(*(refusal or (200, _completion(body))))


def refusal_of(body: dict[str, Any]) -> tuple[int, Any] | None:
    model, form = body["model"], body.get("response_format", {}).get("type", "text")
    roles = [message["role"] for message in body["messages"]]
    if model in WITHOUT_TEMPERATURE and "max_tokens" in body:
        return 400, WANTS_COMPLETION_TOKENS
    if model in WITHOUT_TEMPERATURE:
        return WITHOUT_TEMPERATURE[model] if "temperature" in body else None
    if model in ALTERNATING:
        return ALTERNATING[model] if roles.count("user") > 1 else None
    if model in WITHOUT_SYSTEM:
        return None if roles == ["user"] else WITHOUT_SYSTEM[model]
    if model == "tracing":
        return 500, {"detail": TRACEBACK}
    if model == "strict" and ("store" in body or "max_completion_tokens" in body):
        return 422, {"object": "error", "message": {"detail": UNKNOWN_FIELDS}}
    if form == "json_schema" and model != "strict":
        return SCHEMA_REFUSALS.get(model, SCHEMA_REFUSALS["groq"])
    return OBJECT_REFUSALS.get(model) if form == "json_object" else None


def _completion(body: dict[str, Any]) -> dict[str, Any]:
    """Return an opinion: bare where a form was asked for, else in a fence after some prose."""
    # Our rules and personas name items as examples: those of the submission stand in the fence.
    prompt = "\n".join(message["content"] for message in body["messages"])
    material = prompt.partition("<<<")[2].partition(">>>")[0]
    opinion = json.dumps(
        {
            "reasoning": "The checks of this criterion that were met are worth the better part of"
            " its points.",
            "cited_evidence": citable(material)[:1],
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
