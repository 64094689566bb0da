"""Answer of a model, the same for every provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage

from courtroom.judges.provider_words import provider_words
from courtroom.models.audit_report import AnswerForm, Usage

# Why a model ended its answer, as providers name it.
REASONS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
TRUNCATED = ("length", "max_tokens", "MAX_TOKENS")
BLOCKED = "blocked"
FILTERED = (
    BLOCKED,
    "content_filter",
    "SAFETY",
    "PROHIBITED_CONTENT",
    "RECITATION",
    "refusal",
    "guardrail_intervened",
)


@dataclass(frozen=True, slots=True)
class Completion:
    """Answer of a model: `refusal` in its own words or empty, `finish_reason` as the provider names
    it, `form` as it was asked for, `refused` what the endpoint took no request with, `model` as the
    provider names it.
    """

    text: str
    refusal: str
    finish_reason: str
    usage: Usage
    form: AnswerForm
    refused: tuple[str, ...] = ()
    model: str = ""


def completion_of(
    message: AIMessage, text: str, form: AnswerForm, refused: tuple[str, ...] = ()
) -> Completion:
    metadata = message.response_metadata
    refusal = str(message.additional_kwargs.get("refusal") or "")
    # Google answers a prompt that it blocks with nothing but the reason.
    blocked = (metadata.get("prompt_feedback") or {}).get("block_reason")
    reason = next((metadata[name] for name in REASONS if metadata.get(name)), "")
    return Completion(
        text=text,
        refusal=refusal and (provider_words(refusal) or "The model refused."),
        finish_reason=BLOCKED if blocked else str(reason),
        usage=_usage(message.usage_metadata),
        form=form,
        refused=refused,
        model=str(metadata.get("model_name") or metadata.get("model") or ""),
    )


def _usage(metadata: Any) -> Usage:
    if not metadata:
        return Usage(calls=1)
    return Usage(
        calls=1,
        prompt_tokens=metadata["input_tokens"],
        cached_tokens=metadata.get("input_token_details", {}).get("cache_read", 0) or 0,
        completion_tokens=metadata["output_tokens"],
    )
