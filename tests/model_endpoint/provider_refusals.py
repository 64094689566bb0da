"""Refusals of providers: for each, by the kind of failure, status and body as its users quote them."""

from __future__ import annotations

from typing import Any

Refusal = tuple[int, Any, dict[str, str]]


def _openai(status: int, message: str, code: str | None = None, **fields: Any) -> Refusal:
    error = {"message": message, "type": "invalid_request_error", "code": code, **fields}
    return status, {"error": error}, {}


def _anthropic(status: int, kind: str, message: str) -> Refusal:
    return status, {"type": "error", "error": {"type": kind, "message": message}}, {}


def _google(status: int, state: str, message: str, *details: dict[str, Any]) -> Refusal:
    error = {"code": status, "message": message, "status": state, "details": list(details)}
    return status, {"error": error}, {}


def _amazon(status: int, kind: str, message: str) -> Refusal:
    return status, {"message": message}, {"x-amzn-errortype": kind}


RETRY_AFTER = {"retry-after": "7"}
BUSY = "Rate limit reached for requests."
WRONG_KEY = "Incorrect API key provided: sk-own**********cret."
# The pause that each busy provider names, in its header or, Google, in the body.
PAUSE = 7.0
REFUSALS: dict[tuple[str, str], Refusal] = {
    ("anthropic", "auth"): _anthropic(401, "authentication_error", "invalid x-api-key"),
    ("anthropic", "rate_limited"): (
        429,
        {"type": "error", "error": {"type": "rate_limit_error", "message": BUSY}},
        RETRY_AFTER,
    ),
    ("anthropic", "server"): _anthropic(529, "overloaded_error", "Overloaded"),
    ("anthropic", "context_length"): _anthropic(
        400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
    ),
    ("anthropic", "budget"): _anthropic(
        400,
        "billing_error",
        "Your credit balance is too low to access the Anthropic API.",
    ),
    ("azure_openai", "auth"): _openai(
        401,
        "Access denied due to invalid subscription key or wrong API endpoint.",
        "401",
    ),
    ("azure_openai", "context_length"): _openai(
        400,
        "This model's maximum context length is 8192 tokens.",
        "context_length_exceeded",
    ),
    ("azure_openai", "filtered"): _openai(
        400,
        "The response was filtered due to the prompt triggering Azure OpenAI's content management"
        " policy.",
        "content_filter",
        innererror={"code": "ResponsibleAIPolicyViolation"},
    ),
    ("bedrock_converse", "auth"): _amazon(
        403, "UnrecognizedClientException", "The security token included in the request is invalid."
    ),
    ("bedrock_converse", "rate_limited"): _amazon(
        429, "ThrottlingException", "Too many requests, please wait before trying again."
    ),
    ("bedrock_converse", "context_length"): _amazon(
        400, "ValidationException", "Input is too long for requested model."
    ),
    ("cohere", "auth"): (401, {"message": "invalid api token"}, {}),
    ("cohere", "rate_limited"): (429, {"message": BUSY}, RETRY_AFTER),
    ("cohere", "context_length"): (
        400,
        {"message": "too many tokens: size limit exceeded by 11326 tokens."},
        {},
    ),
    ("deepseek", "context_length"): _openai(
        400,
        "This model's maximum context length is 65536 tokens. However, you requested 90000 tokens.",
        "invalid_request_error",
    ),
    ("deepseek", "budget"): _openai(402, "Insufficient Balance"),
    ("fireworks", "context_length"): _openai(
        400, "The prompt is too long: 40000, model maximum context length: 32767"
    ),
    ("google_genai", "auth"): _google(
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
        {"reason": "API_KEY_INVALID"},
    ),
    ("google_genai", "rate_limited"): _google(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota.",
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"},
    ),
    ("google_genai", "context_length"): _google(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    ("google_genai", "server"): _google(503, "UNAVAILABLE", "The model is overloaded."),
    ("groq", "context_length"): _openai(
        400,
        "Please reduce the length of the messages or completion.",
        "context_length_exceeded",
    ),
    ("groq", "rate_limited"): (
        413,
        {
            "error": {
                "message": "Request too large for model on tokens per minute (TPM): Limit 6000.",
                "type": "tokens",
                "code": "rate_limit_exceeded",
            }
        },
        RETRY_AFTER,
    ),
    ("mistralai", "auth"): (401, {"detail": "Unauthorized"}, {}),
    ("mistralai", "context_length"): (
        400,
        {
            "object": "error",
            "message": "Prompt contains 40000 tokens and 0 draft tokens, too large for model with"
            " 32768 maximum context length",
            "type": "invalid_request_prompt",
        },
        {},
    ),
    ("ollama", "auth"): (401, {"error": "unauthorized"}, {}),
    ("ollama", "rate_limited"): (429, {"error": "too many concurrent requests"}, RETRY_AFTER),
    ("ollama", "server"): (500, {"error": "llama runner process has terminated"}, {}),
    ("ollama", "invalid"): (404, {"error": "model 'a-model' not found"}, {}),
    ("ollama", "context_length"): (
        400,
        {"error": "the input length exceeds the context length"},
        {},
    ),
    ("together", "context_length"): _openai(
        422,
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000"
        " `inputs` tokens and 1200 `max_new_tokens`",
    ),
    ("xai", "auth"): (400, {"code": "invalid-argument", "error": WRONG_KEY}, {}),
    ("xai", "context_length"): (
        400,
        {
            "code": "invalid-argument",
            "error": "This model's maximum prompt length is 131072 but the request contains 200000"
            " tokens.",
        },
        {},
    ),
}
# The same from every provider, unless it has a wording of its own above.
USUAL: dict[str, Refusal] = {
    "auth": _openai(401, WRONG_KEY, "invalid_api_key"),
    "rate_limited": (429, {"error": {"message": BUSY}, "message": BUSY}, RETRY_AFTER),
    "server": (500, {"error": {"message": "Try later."}, "message": "Try later."}, {}),
    "invalid": (404, {"error": {"message": "No such model."}, "message": "No such model."}, {}),
}
# What a server's own failure may print: paths, a trace, an address, the key.
TRACE = (
    "Out of memory in /srv/llm/app.py for key sk-own-key-123 at https://10.0.0.7:8443/internal\n"
    'Traceback (most recent call last):\n  File "/srv/llm/secret.py", line 3'
)
HOSTILE: dict[str, Refusal] = {
    "trace": (500, {"error": {"message": TRACE, "type": "api_error"}, "message": TRACE}, {}),
    "trace-refused": (400, {"error": {"message": TRACE}, "message": TRACE}, {}),
    "detail": (422, {"detail": [{"msg": TRACE, "loc": ["/srv/llm"]}]}, {}),
    "page": (502, f"<html><body><h1>502 Bad Gateway</h1>{TRACE}</body></html>", {}),
}


def refusal_of(provider: str, behaviour: str) -> Refusal | None:
    own = REFUSALS.get((provider, behaviour))
    return own or USUAL.get(behaviour) or HOSTILE.get(behaviour)
