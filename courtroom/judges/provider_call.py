"""One call to a provider and what stands around it: the gate, the purse, and the one layer that retries."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from courtroom.judges.budget import Purse, cost_of
from courtroom.judges.prompts import Prompt
from courtroom.judges.provider_failures import Unusable, failure_of
from courtroom.judges.providers import Line, Spoken
from courtroom.judges.rate_limit import Gate
from courtroom.models.record import Usage

SENDS = 3
FIRST_PAUSE_SECONDS = 0.5
# English prose and code run at about four characters to a token; three is on the safe side.
CHARACTERS_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Call:
    """`room`: the most tokens that the answer may take; `shown`: what pictures in the prompt take."""

    model: str
    line: Line
    prompt: Prompt
    schema: dict[str, Any]
    room: int
    shown: int = 0

    @property
    def prompt_tokens(self) -> int:
        """An estimate, to plan with; what is paid for is the provider's figure."""
        texts = sum(len(text) for _, text in self.prompt if isinstance(text, str))
        return texts // CHARACTERS_PER_TOKEN + self.shown


@dataclass(slots=True)
class Answering:
    """One answer in the making: its deadline, and every call that was made for it."""

    clock: asyncio.Timeout
    usages: list[Usage] = field(default_factory=list)

    @property
    def seconds_left(self) -> float:
        until = self.clock.when()
        return float("inf") if until is None else until - asyncio.get_running_loop().time()

    @asynccontextmanager
    async def stopped(self) -> AsyncIterator[None]:
        """Waiting for one's turn is not answering: the deadline moves by as much."""
        left = self.seconds_left
        self.clock.reschedule(None)
        try:
            yield
        finally:
            self.clock.reschedule(asyncio.get_running_loop().time() + left)


class Exchange:
    """The way to the providers and back, for one audit."""

    def __init__(self, gate: Gate, purse: Purse) -> None:
        self._gate, self._purse = gate, purse

    async def send(self, call: Call, answering: Answering) -> Spoken:
        """Send, and again after a pause while the provider is busy or broken. Raises Unusable."""
        for attempt in range(1, SENDS + 1):
            try:
                return await self._send_once(call, answering)
            except Unusable as failed:
                pause = failed.pause
                if pause is None:
                    pause = FIRST_PAUSE_SECONDS * 2 ** (attempt - 1)
                if attempt == SENDS or not failed.is_transient or pause >= answering.seconds_left:
                    raise
            await asyncio.sleep(pause)
        raise AssertionError("the loop above returns or raises")

    async def _send_once(self, call: Call, answering: Answering) -> Spoken:
        ceiling = self._purse.ceiling(call.model, call.prompt_tokens, call.room)
        async with answering.stopped():
            await self._purse.set_aside(ceiling)
        bill = ceiling  # until the provider's own figures are there
        try:
            async with answering.stopped():
                await self._admit(call)
            spoken = await self._ask(call, answering)
        except Unusable as failed:
            bill = ceiling if failed.kind == "timeout" else 0.0
            raise
        else:
            if spoken.usage.prompt_tokens:
                bill = answering.usages[-1].cost_usd or 0.0
            return spoken
        finally:
            await self._purse.settle(ceiling, bill)

    async def _admit(self, call: Call) -> None:
        try:
            await self._gate.enter(call.prompt_tokens + call.room)
        except Exception as error:  # a judge never raises, whatever the gate is made of
            message = f"No way to the provider: {error}"
            raise Unusable("rate_limited", message, pause=float("inf")) from error

    async def _ask(self, call: Call, answering: Answering) -> Spoken:
        price = self._purse.price_of(call.model)
        answering.usages.append(Usage(calls=1, cost_usd=cost_of(Usage(), price)))
        try:
            spoken = await call.line.ask(call.prompt, call.schema, call.room)
        except Exception as error:  # a judge never raises: each provider has errors of its own
            raise failure_of(error) from error
        usage = spoken.usage.model_copy(update={"cost_usd": cost_of(spoken.usage, price)})
        answering.usages[-1] = usage
        return spoken
