"""One call to a provider, within rate limit and budget; the only layer that retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from courtroom.judges.budget import Budget, cost_of
from courtroom.judges.call_spans import call_span, describe_answer, note_retry, note_send
from courtroom.judges.completion import Completion
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_failures import CallFailed, FormRefused, failure_of
from courtroom.judges.providers import ModelClient
from courtroom.judges.rate_limit import RateLimit, RateLimitTimeout
from courtroom.models.audit_report import Usage
from courtroom.tracing import AttributeValue, code_of

SENDS = 3
FIRST_PAUSE_SECONDS = 0.5
# English prose and code run at about four characters to a token; three is on the safe side.
CHARACTERS_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Call:
    """Prompt for one model. `max_tokens` bounds the answer; `image_tokens` count the images shown.

    `labels` say on the call's span who asks, and about what.
    """

    model: str
    client: ModelClient
    prompt: Prompt
    schema: dict[str, Any]
    max_tokens: int
    image_tokens: int = 0
    temperature: float | None = None
    labels: Mapping[str, AttributeValue] = field(default_factory=dict)

    @property
    def prompt_tokens(self) -> int:
        """Estimate to plan with; the bill follows the provider's own figure."""
        texts = sum(len(text) for _, text in self.prompt if isinstance(text, str))
        return texts // CHARACTERS_PER_TOKEN + self.image_tokens


@dataclass(slots=True)
class CallContext:
    """Deadline of one answer, and the usage of every call made for it."""

    timeout: asyncio.Timeout
    usages: list[Usage] = field(default_factory=list)

    @property
    def seconds_left(self) -> float:
        until = self.timeout.when()
        return float("inf") if until is None else until - asyncio.get_running_loop().time()

    def code_of(self, error: BaseException) -> str:
        """Return the code of what ended the answer's calls."""
        return "timeout" if self.timeout.expired() else code_of(error)

    @asynccontextmanager
    async def paused(self) -> AsyncIterator[None]:
        """Stop the clock: waiting for budget or rate limit moves the deadline by as much."""
        left = self.seconds_left
        self.timeout.reschedule(None)
        try:
            yield
        finally:
            self.timeout.reschedule(asyncio.get_running_loop().time() + left)


class ProviderCaller:
    """Makes the calls of one audit."""

    def __init__(self, rate_limit: RateLimit, budget: Budget) -> None:
        self._rate_limit, self._budget = rate_limit, budget

    async def send(self, call: Call, context: CallContext) -> Completion:
        """Send, and repeat after a pause while the provider is busy or broken. Raises CallFailed."""
        with call_span(call, context.code_of) as opened:
            completion = await self._send_and_repeat(call, context)
            describe_answer(opened, completion, context.usages[-1])
            return completion

    async def _send_and_repeat(self, call: Call, context: CallContext) -> Completion:
        for attempt in range(1, SENDS + 1):
            try:
                return await self._send_in_accepted_form(call, context)
            except CallFailed as failed:
                pause = failed.pause
                if pause is None:
                    pause = FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)
                # A pause beyond the deadline cannot help: fail now and leave time to others.
                if attempt == SENDS or not failed.is_transient or pause >= context.seconds_left:
                    raise
                note_retry(failed.kind, pause)
            await asyncio.sleep(pause)
        raise AssertionError("the loop above returns or raises")

    async def _send_in_accepted_form(self, call: Call, context: CallContext) -> Completion:
        """Send until the endpoint takes the form of the request; its refusals are no attempts."""
        while True:
            try:
                return await self._send_once(call, context)
            except FormRefused:
                note_retry("form_refused", 0.0)
                # Ends: each refusal leaves fewer forms (judges/answer_forms.py).
                continue

    async def _send_once(self, call: Call, context: CallContext) -> Completion:
        highest_cost = self._budget.highest_cost(call.model, call.prompt_tokens, call.max_tokens)
        # Budget before rate limit: a call that cannot be paid must not take a slot.
        async with context.paused():
            await self._budget.reserve(highest_cost)
        cost = highest_cost  # until the provider's own figures are there
        try:
            async with context.paused():
                await self._wait_for_rate_limit(call)
            completion = await self._ask(call, context)
        except CallFailed as failed:
            # A provider bills a call that we stopped waiting for.
            cost = highest_cost if failed.kind == "timeout" else 0.0
            raise
        else:
            if completion.usage.prompt_tokens:
                cost = context.usages[-1].cost_usd or 0.0
            return completion
        finally:
            await self._budget.settle(highest_cost, cost)

    async def _wait_for_rate_limit(self, call: Call) -> None:
        try:
            await self._rate_limit.acquire(call.prompt_tokens + call.max_tokens)
        except Exception as error:  # a judge never raises, whatever the limit is made of
            # Words of another error may name servers.
            words = error if isinstance(error, RateLimitTimeout) else type(error).__name__
            message = f"The rate limit left no room: {words}"
            raise CallFailed("rate_limited", message, pause=float("inf")) from error

    async def _ask(self, call: Call, context: CallContext) -> Completion:
        price = self._budget.price_of(call.model)
        note_send()
        # Counted before it is sent: a call that times out was made all the same.
        context.usages.append(Usage(calls=1, cost_usd=cost_of(Usage(), price)))
        try:
            completion = await call.client.ask(
                call.prompt, call.schema, call.max_tokens, call.temperature
            )
        except Exception as error:  # a judge never raises; each provider has its own errors
            raise failure_of(error) from error
        changes = {
            "cost_usd": cost_of(completion.usage, price),
            "answer_forms": {call.model: completion.form},
            "refused": {call.model: completion.refused} if completion.refused else {},
        }
        usage = completion.usage.model_copy(update=changes)
        context.usages[-1] = usage
        return completion
