"""Three judges by a model: what is asked, when, and how every way to fail ends as a typed JudgeFailure.

One deadline spans an answer with all its calls; waiting for one's turn does not count. An answer that was cut
short or does not fit is asked for once more, with more room or with what was wrong.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from courtroom.judges.answer_schema import Reply, argument_of, cited_ids, read, schema_for
from courtroom.judges.budget import Purse, total_of
from courtroom.judges.opinion import Answer, Brief, failure, opinion
from courtroom.judges.prompts import messages, prompt_digest, room_for_docket
from courtroom.judges.provider_call import Answering, Call, Exchange
from courtroom.judges.provider_failures import Unusable
from courtroom.judges.providers import Lines
from courtroom.judges.rate_limit import OPEN, Gate
from courtroom.judges.shared_prompt import docket
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.record import (
    PERSONAS,
    CheckOutcome,
    Evidence,
    JudgeFailure,
    JudgeReference,
    JudicialOpinion,
    Persona,
    Usage,
)
from courtroom.models.rubric import Rubric

# An answer that was cut short or malformed is asked for once more.
ATTEMPTS = 2
Said = dict[str, Reply | Unusable]


class LlmBench:
    """One line for each model; a persona without a model is refused before anything is bought."""

    def __init__(
        self,
        settings: BenchSettings,
        gate: Gate = OPEN,
        lines: Lines | None = None,
        purse: Purse | None = None,
    ) -> None:
        _refuse_what_is_missing(settings)
        self._settings, self._opened = settings, lines or Lines(settings)
        self._lines = {
            model: self._opened.to(model) for model in sorted(set(settings.models.values()))
        }
        self._exchange = Exchange(gate, purse or Purse(settings.budget_usd, settings.prices))
        self._warm: dict[str, asyncio.Event] = {}

    @property
    def together(self) -> bool:
        return self._settings.batch == "per_judge"

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return {
            persona: JudgeReference(
                kind="llm",
                model=self._settings.models[persona],
                prompt_digest=prompt_digest(persona),
            )
            for persona in PERSONAS
        }

    def docket(
        self, rubric: Rubric, evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
    ) -> str:
        room = room_for_docket(self._settings.prompt_characters, rubric, together=self.together)
        secret = self._settings.fence_secret.get_secret_value()
        return docket(rubric, evidence, secret, outcomes=outcomes, room=room)

    def key(self, brief: Brief) -> str:
        model, where = self._settings.models[brief.persona], self._settings.base_url
        return brief.digest(f"{model} {prompt_digest(brief.persona)} {where}")

    async def hear(self, briefs: Sequence[Brief]) -> list[Answer]:
        model, said = self._settings.models[briefs[0].persona], dict[str, Reply | Unusable]()
        usages: list[Usage] = []
        async with self._turn(model):
            failed = await self._within_deadline(briefs, said, usages)
        heard = [
            self._recorded(brief, said.get(brief.criterion.id, failed), model) for brief in briefs
        ]
        return [
            Answer(opinion=o, usage=Usage() if place else total_of(usages))
            for place, o in enumerate(heard)
        ]

    async def close(self) -> None:
        await self._opened.close()

    @asynccontextmanager
    async def _turn(self, model: str) -> AsyncIterator[None]:
        """Where the provider caches prefixes, the first call of a model goes alone and the others find it warm."""
        if not self._settings.warm_up:
            yield
            return
        if model in self._warm:
            await self._warm[model].wait()
            yield
            return
        self._warm[model] = asyncio.Event()
        try:
            yield
        finally:
            self._warm[model].set()

    async def _within_deadline(
        self, briefs: Sequence[Brief], said: Said, usages: list[Usage]
    ) -> Unusable:
        """Fill `said` as far as the deadline allows; answers what became of the rest."""
        seconds = self._settings.deadline_seconds
        try:
            async with asyncio.timeout(seconds) as clock:
                await self._ask(briefs, said, Answering(clock, usages))
        except TimeoutError:
            return Unusable("timeout", f"No answer within {seconds:g} s.")
        return Unusable("invalid", "No opinion was sent.")

    async def _ask(self, briefs: Sequence[Brief], said: Said, answering: Answering) -> None:
        """Ask for all, and once more for what was cut short or malformed."""
        model = self._settings.models[briefs[0].persona]
        asked, complaint, room = (
            list(briefs),
            "",
            self._settings.max_completion_tokens * len(briefs),
        )
        for _ in range(ATTEMPTS):
            call = Call(
                model, self._lines[model], messages(asked, complaint), schema_for(asked), room
            )
            try:
                said |= read(await self._exchange.send(call, answering), asked)
            except Unusable as bad:
                said |= {brief.criterion.id: bad for brief in asked}
            asked = [brief for brief in asked if _is_mendable(said[brief.criterion.id])]
            if not asked:
                return
            first = said[asked[0].criterion.id]
            cut_short = isinstance(first, Unusable) and first.kind == "truncated"
            complaint, room = ("", room * 2) if cut_short else (str(first), room)

    def _recorded(
        self, brief: Brief, said: Reply | Unusable, model: str
    ) -> JudicialOpinion | JudgeFailure:
        key = self.key(brief)
        if isinstance(said, Unusable):
            return failure(brief, kind=said.kind, message=said.message, model=model, key=key)
        return opinion(
            brief,
            score=said.score,
            argument=argument_of(said, brief),
            cited=cited_ids(said, brief),
            model=model,
            key=key,
        )


def _is_mendable(said: Reply | Unusable) -> bool:
    return isinstance(said, Unusable) and said.is_mendable


def _refuse_what_is_missing(settings: BenchSettings) -> None:
    missing = [persona for persona in PERSONAS if not settings.models.get(persona)]
    if missing:
        raise InputRefused("bench_no_model", f"No model is set for: {', '.join(missing)}.")
    unpriced = sorted(set(settings.models.values()) - set(settings.prices))
    if settings.budget_usd is not None and unpriced:
        message = f"A budget needs a price for each model; none is set for: {', '.join(unpriced)}."
        raise InputRefused("bench_no_price", message)
