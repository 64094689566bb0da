"""Trial of models with one small question, sent as the judges send theirs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from time import perf_counter
from typing import Any

from courtroom.judges.answer_schema import object_schema, parse_json
from courtroom.judges.budget import Budget, total_usage
from courtroom.judges.completion import Completion
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_call import Call, CallContext, ProviderCaller
from courtroom.judges.provider_failures import CallFailed
from courtroom.judges.providers import ModelClient, ModelClients
from courtroom.judges.rate_limit import NO_LIMIT, RateLimit
from courtroom.models.audit_report import Usage
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.frozen_record import Frozen
from courtroom.models.judge_answer import FailureKind

PROMPT: Prompt = [
    ("system", "You test a connection. Answer in the form that is asked for."),
    ("human", "Add 2 and 3. Put the sum as a whole number into `sum`."),
]
SCHEMA = object_schema({"sum": {"type": "integer"}})
SUM = 5
# Enough for the answer; a person waits for it.
MOST_SECONDS = 30.0
ANSWER_CHARACTERS = 200


class ModelTrial(Frozen):
    """Outcome for one model: the start of its `answer`, or the kind of `failure` and a `message`.

    `seconds` is the time of the last call, null where none was made. `usage` says in which form it was
    answered.
    """

    model: str
    answer: str = ""
    failure: FailureKind | None = None
    message: str = ""
    seconds: float | None = None
    usage: Usage = Usage()


class TimedClient:
    """Client that keeps the time of its last call, without the waiting before it."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client
        self.seconds: float | None = None

    async def ask(
        self,
        prompt: Prompt,
        schema: dict[str, Any],
        max_tokens: int,
        temperature: float | None = None,
    ) -> Completion:
        start = perf_counter()
        try:
            return await self._client.ask(prompt, schema, max_tokens, temperature)
        finally:
            self.seconds = perf_counter() - start


async def try_models(
    settings: BenchSettings, rate_limit: RateLimit = NO_LIMIT
) -> AsyncIterator[ModelTrial]:
    """Ask each model of the bench once, in the order of their names. Fails for none."""
    clients = ModelClients(settings)
    caller = ProviderCaller(rate_limit, Budget(settings.budget_usd, settings.prices))
    try:
        for model in sorted(set(settings.models.values())):
            yield await _try_model(model, settings, clients, caller)
    finally:
        await clients.close()


async def _try_model(
    model: str, settings: BenchSettings, clients: ModelClients, caller: ProviderCaller
) -> ModelTrial:
    usages: list[Usage] = []
    seconds = min(MOST_SECONDS, settings.deadline_seconds)
    try:
        client = TimedClient(clients.client_for(model))
    except InputRefused as refused:
        return ModelTrial(model=model, failure="invalid", message=refused.message)

    text, failed = "", None
    call = Call(model, client, PROMPT, SCHEMA, settings.max_completion_tokens)
    try:
        async with asyncio.timeout(seconds) as timeout:
            completion = await caller.send(call, CallContext(timeout, usages))
        _check(completion)
        text = completion.text[:ANSWER_CHARACTERS]
    except TimeoutError:
        failed = CallFailed("timeout", f"No answer within {seconds:g} s.")
    except CallFailed as failure:
        failed = failure
    return ModelTrial(
        model=model,
        answer=text,
        failure=failed and failed.kind,
        message=failed.message if failed else "",
        seconds=client.seconds,
        usage=total_usage(usages),
    )


def _check(completion: Completion) -> None:
    """Raises CallFailed for any answer but the right one."""
    answer = parse_json(completion)
    if not isinstance(answer, dict) or answer.get("sum") != SUM:
        raise CallFailed("out_of_schema", "The answer is not the one that was asked for.")
