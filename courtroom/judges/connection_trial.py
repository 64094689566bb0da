"""Trial of models with one small question, sent as the judges send theirs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from courtroom.judges.answer_schema import object_schema, parse_json
from courtroom.judges.budget import Budget, total_usage
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_call import Call, CallContext, ProviderCaller
from courtroom.judges.provider_failures import CallFailed
from courtroom.judges.providers import Completion, ModelClients
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
    """Outcome for one model: the start of its `answer`, or the kind of `failure` and a `message`."""

    model: str
    answer: str = ""
    failure: FailureKind | None = None
    message: str = ""
    usage: Usage = Usage()


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
        client = clients.client_for(model)
        call = Call(model, client, PROMPT, SCHEMA, settings.max_completion_tokens)
        async with asyncio.timeout(seconds) as timeout:
            completion = await caller.send(call, CallContext(timeout, usages))
        _check(completion)
    except InputRefused as refused:
        return ModelTrial(model=model, failure="invalid", message=refused.message)
    except TimeoutError:
        message = f"No answer within {seconds:g} s."
        return _failed(model, CallFailed("timeout", message), usages)
    except CallFailed as failed:
        return _failed(model, failed, usages)
    text = completion.text[:ANSWER_CHARACTERS]
    return ModelTrial(model=model, answer=text, usage=total_usage(usages))


def _check(completion: Completion) -> None:
    """Raises CallFailed for any answer but the right one."""
    answer = parse_json(completion)
    if not isinstance(answer, dict) or answer.get("sum") != SUM:
        raise CallFailed("out_of_schema", "The answer is not the one that was asked for.")


def _failed(model: str, failed: CallFailed, usages: list[Usage]) -> ModelTrial:
    return ModelTrial(
        model=model, failure=failed.kind, message=failed.message, usage=total_usage(usages)
    )
