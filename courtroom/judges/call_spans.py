"""Span of a call to a provider, as OpenTelemetry's conventions for generative AI name its parts.

Neither prompt nor answer is on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from courtroom.models.model_providers import split_model
from courtroom.tracing import AttributeValue, Span, SpanKind, get_current_span, span

if TYPE_CHECKING:
    from courtroom.judges.completion import Completion
    from courtroom.judges.provider_call import Call
    from courtroom.models.audit_report import Usage

# Names of the conventions where they differ from langchain's.
PROVIDER_NAMES = {
    "azure_openai": "azure.ai.openai",
    "bedrock_converse": "aws.bedrock",
    "google_genai": "gcp.gemini",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}


@contextmanager
def call_span(call: Call, code: Callable[[BaseException], str]) -> Iterator[Span]:
    """Open the span of a call; `code` names what ends it without an answer."""
    provider, model = split_model(call.model)
    attributes: dict[str, AttributeValue] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDER_NAMES.get(provider, provider),
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": call.max_tokens,
        **call.labels,
    }
    if call.temperature is not None:
        attributes["gen_ai.request.temperature"] = call.temperature
    with span(f"chat {model}", attributes, kind=SpanKind.CLIENT, code=code) as opened:
        yield opened


def note_send() -> None:
    """Mark when the request leaves: what came before was the wait for budget and rate limit."""
    get_current_span().add_event("send")


def note_retry(code: str, pause_seconds: float) -> None:
    """Mark that the request will be sent again, and why."""
    event: Mapping[str, AttributeValue] = {
        "error.type": code,
        "auditor.pause_seconds": pause_seconds,
    }
    get_current_span().add_event("retry", event)


def describe_answer(opened: Span, completion: Completion, usage: Usage) -> None:
    """Add what the answer says of itself, and what it costs."""
    attributes: dict[str, AttributeValue] = {}
    if completion.model:
        attributes["gen_ai.response.model"] = completion.model
    if completion.finish_reason:
        attributes["gen_ai.response.finish_reasons"] = [completion.finish_reason]
    if usage.prompt_tokens:
        attributes["gen_ai.usage.input_tokens"] = usage.prompt_tokens
        attributes["gen_ai.usage.cache_read.input_tokens"] = usage.cached_tokens
        attributes["gen_ai.usage.output_tokens"] = usage.completion_tokens
    if usage.cost_usd is not None:
        attributes["auditor.cost_usd"] = usage.cost_usd
    opened.set_attributes(attributes)
