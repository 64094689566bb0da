"""Three judges by a model at an OpenAI-compatible endpoint, through langchain-openai.

The answer's schema is a plain dict, because with a pydantic class a malformed answer raises and its usage is
lost; we validate ourselves. One deadline spans the whole call, one layer retries (the client's, which honours
Retry-After), and every way to fail ends as a typed JudgeFailure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal

from langchain_openai import ChatOpenAI
from openai import (
    APIConnectionError,
    APITimeoutError,
    AuthenticationError,
    BadRequestError,
    ContentFilterFinishReasonError,
    LengthFinishReasonError,
    OpenAIError,
    PermissionDeniedError,
    RateLimitError,
)
from pydantic import BaseModel, ConfigDict, ValidationError

from courtroom.case import BenchSettings
from courtroom.errors import InputRefused
from courtroom.judges.opinion import Answer, Brief, failure, opinion
from courtroom.judges.prompts import docket, persona_text, prompt_digest, question
from courtroom.record import PERSONAS, Evidence, FailureKind, JudgeReference, Persona, Score, Usage
from courtroom.rubric import Rubric

CLIENT_RETRIES = 2
# An answer that was cut short or malformed is asked for once more.
ATTEMPTS = 2
FAILURES: tuple[tuple[type[Exception], FailureKind], ...] = (
    (LengthFinishReasonError, "truncated"),
    (ContentFilterFinishReasonError, "filtered"),
    (RateLimitError, "rate_limited"),
    (AuthenticationError, "auth"),
    (PermissionDeniedError, "auth"),
    (APITimeoutError, "timeout"),
    (APIConnectionError, "server"),
)


class Reply(BaseModel):
    """What a judge must send; checked here because servers do not all enforce the schema."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reasoning: str
    cited_evidence: list[str]
    score: Score


class Unusable(Exception):
    """An answer that cannot be used, with what it cost all the same."""

    def __init__(self, kind: FailureKind, message: str, usage: Usage) -> None:
        super().__init__(message)
        self.kind, self.message, self.usage = kind, message, usage


class LlmBench:
    """One client per model; a persona without a model is refused before anything is bought."""

    def __init__(self, settings: BenchSettings) -> None:
        missing = [persona for persona in PERSONAS if not settings.models.get(persona)]
        if missing:
            raise InputRefused("bench_no_model", f"No model is set for: {', '.join(missing)}.")
        if settings.api_key is None:
            raise InputRefused("bench_no_key", "The LLM bench needs an API key (OPENAI_API_KEY).")
        self._settings = settings
        self._clients = {model: self._client(model) for model in set(settings.models.values())}

    def _client(self, model: str) -> ChatOpenAI:
        return ChatOpenAI(
            model=model,
            api_key=self._settings.api_key,
            base_url=self._settings.base_url,
            max_retries=CLIENT_RETRIES,
            timeout=self._settings.deadline_seconds,
            store=False,
        )

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return {
            persona: JudgeReference(
                kind="llm", model=self._settings.models[persona], prompt_digest=prompt_digest(persona)
            )
            for persona in PERSONAS
        }

    def docket(self, rubric: Rubric, evidence: Sequence[Evidence]) -> str:
        return docket(rubric, evidence, self._settings.fence_secret.get_secret_value())

    def key(self, brief: Brief) -> str:
        model = self._settings.models[brief.persona]
        return brief.digest(f"{model} {prompt_digest(brief.persona)} {self._settings.base_url}")

    async def hear(self, brief: Brief) -> Answer:
        key, model = self.key(brief), self._settings.models[brief.persona]
        try:
            async with asyncio.timeout(self._settings.deadline_seconds):
                reply, usage = await self._ask(brief, model)
        except Unusable as bad:
            failed = failure(brief, kind=bad.kind, message=bad.message, model=model, key=key)
            return Answer(opinion=failed, usage=bad.usage)
        except TimeoutError:
            message = f"No answer within {self._settings.deadline_seconds:g} s."
            failed = failure(brief, kind="timeout", message=message, model=model, key=key)
            return Answer(opinion=failed, usage=Usage(calls=1))
        heard = opinion(
            brief,
            score=reply.score,
            argument=reply.reasoning,
            cited=reply.cited_evidence,
            model=model,
            key=key,
        )
        return Answer(opinion=heard, usage=usage)

    async def _ask(self, brief: Brief, model: str) -> tuple[Reply, Usage]:
        """Ask, and once more where the first answer was cut short or malformed."""
        prompt, room, spent = _messages(brief), self._settings.max_completion_tokens, Usage()
        for attempt in range(1, ATTEMPTS + 1):
            try:
                reply, usage = await self._call(brief, model, prompt, room)
                return reply, _sum(spent, usage)
            except Unusable as bad:
                spent = _sum(spent, bad.usage)
                if attempt == ATTEMPTS or bad.kind not in ("truncated", "invalid", "out_of_schema"):
                    raise Unusable(bad.kind, bad.message, spent) from bad
                if bad.kind == "truncated":
                    room *= 2
                else:
                    prompt = [
                        *_messages(brief),
                        ("human", f"Your last answer could not be used: {bad.message}"),
                    ]
        raise AssertionError("the loop above returns or raises")

    async def _call(
        self, brief: Brief, model: str, prompt: list[tuple[str, str]], room: int
    ) -> tuple[Reply, Usage]:
        client = self._clients[model].with_structured_output(
            _schema(brief), method="json_schema", strict=True, include_raw=True, max_completion_tokens=room
        )
        try:
            answer = await client.ainvoke(prompt)
        except (OpenAIError, ValueError, IndexError) as error:
            raise Unusable(_kind(error), _sentence(error), _usage_of(error)) from error
        return _validated(dict(answer))


def _messages(brief: Brief) -> list[tuple[str, str]]:
    return [("system", f"{persona_text('rules')}\n\n{brief.docket}"), ("human", question(brief))]


def _schema(brief: Brief) -> dict[str, Any]:
    """Score and citations are enums: servers that ignore bounds still enforce these."""
    ids = sorted(item.id for item in brief.evidence)
    item = {"type": "string", "enum": ids} if ids else {"type": "string"}
    return {
        "title": "opinion",
        "description": "One judge's opinion on one criterion",
        "type": "object",
        "properties": {
            "reasoning": {"type": "string"},
            "cited_evidence": {"type": "array", "items": item},
            "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        },
        "required": ["reasoning", "cited_evidence", "score"],
        "additionalProperties": False,
    }


def _validated(answer: dict[str, Any]) -> tuple[Reply, Usage]:
    raw, usage = answer["raw"], _usage(getattr(answer["raw"], "usage_metadata", None))
    refusal = raw.additional_kwargs.get("refusal")
    if refusal:
        raise Unusable("refusal", str(refusal)[:300], usage)
    if answer["parsed"] is None:
        raise Unusable("invalid", f"not the JSON that was asked for: {answer['parsing_error']}"[:300], usage)
    try:
        return Reply.model_validate(answer["parsed"]), usage
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Unusable("out_of_schema", f"{place}: {first['msg']}", usage) from error


def _kind(error: Exception) -> FailureKind:
    for known, kind in FAILURES:
        if isinstance(error, known):
            return kind
    if isinstance(error, BadRequestError):
        return "context_length" if error.code == "context_length_exceeded" else "invalid"
    return "server" if isinstance(error, OpenAIError) else "invalid"


def _sentence(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def _usage_of(error: Exception) -> Usage:
    completion = getattr(error, "completion", None)
    usage = getattr(completion, "usage", None)
    if usage is None:
        return Usage(calls=1)
    return Usage(calls=1, prompt_tokens=usage.prompt_tokens, completion_tokens=usage.completion_tokens)


def _usage(metadata: Any) -> Usage:
    if not metadata:
        return Usage(calls=1)
    cached = metadata.get("input_token_details", {}).get("cache_read", 0)
    return Usage(
        calls=1,
        prompt_tokens=metadata["input_tokens"],
        cached_tokens=cached,
        completion_tokens=metadata["output_tokens"],
    )


def _sum(left: Usage, right: Usage) -> Usage:
    names: tuple[Literal["calls", "prompt_tokens", "cached_tokens", "completion_tokens"], ...]
    names = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens")
    return Usage(**{name: getattr(left, name) + getattr(right, name) for name in names})
