"""Three judges by a model. Every way to fail ends as a typed JudgeFailure.

One deadline covers an answer with all its calls; waiting for budget or rate limit does not count.
An answer that was truncated, does not fit the schema, or cites nothing is asked for once more, with
more tokens or with the error. A judge that asks for places reads them and is asked again, once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from courtroom.judges.answer_schema import (
    ModelAnswer,
    argument_of,
    parse_answers,
    schema_for,
    with_paths,
)
from courtroom.judges.budget import Budget, total_usage
from courtroom.judges.citations import resolve
from courtroom.judges.material import with_places
from courtroom.judges.opinion import (
    Answer,
    Question,
    ReadPlace,
    ReadPlaces,
    make_failure,
    make_opinion,
    read_nothing,
)
from courtroom.judges.prompts import messages, prompt_digest
from courtroom.judges.provider_call import Call, CallContext, ProviderCaller
from courtroom.judges.provider_failures import CallFailed
from courtroom.judges.providers import ModelClients
from courtroom.judges.rate_limit import NO_LIMIT, RateLimit
from courtroom.models.audit_report import JudgeReference, Usage
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.judge_answer import PERSONAS, JudgeFailure, JudicialOpinion, Persona

# An answer that was truncated or malformed is asked for once more.
ATTEMPTS = 2
NOT_IN_TIME = "Not read before the time for an answer was over."
# Criterion id -> its answer, or the reason why there is none.
AnswersById = dict[str, ModelAnswer | CallFailed]


@dataclass(slots=True)
class Hearing:
    """One answer of a judge under way: its questions, by criterion, and what came of them.

    A question that was asked again, with what the judge asked to read, replaces its first form.
    """

    questions: dict[str, Question]
    read: ReadPlaces
    answers: AnswersById = field(default_factory=dict)
    places: dict[str, tuple[ReadPlace, ...]] = field(default_factory=dict)


class LlmBench:
    """Bench with one client for each model. Raises InputRefused for a persona without a model."""

    def __init__(
        self,
        settings: BenchSettings,
        rate_limit: RateLimit = NO_LIMIT,
        clients: ModelClients | None = None,
        budget: Budget | None = None,
    ) -> None:
        _refuse_missing_settings(settings)
        self._settings = settings
        self._all_clients = clients or ModelClients(settings)
        self._clients = {
            model: self._all_clients.client_for(model)
            for model in sorted(set(settings.models.values()))
        }
        self._caller = ProviderCaller(
            rate_limit, budget or Budget(settings.budget_usd, settings.prices)
        )
        self._warmed_up: dict[tuple[str, ...], asyncio.Event] = {}

    @property
    def asks_all_at_once(self) -> bool:
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

    def key(self, question: Question) -> str:
        settings, persona = self._settings, question.persona
        parts = [settings.models[persona], prompt_digest(persona), str(settings.base_url)]
        if persona in settings.temperatures:
            parts.append(f"{settings.temperatures[persona]:g}")
        return question.digest(" ".join(parts))

    async def answer(
        self, questions: Sequence[Question], read: ReadPlaces = read_nothing
    ) -> list[Answer]:
        usages: list[Usage] = []
        hearing = Hearing({question.criterion.id: question for question in questions}, read)

        # Answers that arrived before a timeout are kept.
        missing = await self._ask_within_deadline(hearing, usages)
        records = [self._record(question, hearing, missing) for question in questions]
        # One call may answer several questions: its usage is booked on the first of them.
        return [
            Answer(opinion=record, usage=Usage() if index else total_usage(usages))
            for index, record in enumerate(records)
        ]

    async def close(self) -> None:
        await self._all_clients.close()

    @asynccontextmanager
    async def _after_warm_up(
        self, questions: Sequence[Question], context: CallContext
    ) -> AsyncIterator[None]:
        """Let one judge go first of those that read the same, where the provider caches prefixes."""
        ids = tuple(question.criterion.id for question in questions)
        group = (self._settings.models[questions[0].persona], *ids)
        if not self._settings.warm_up:
            yield
            return
        if group in self._warmed_up:
            async with context.paused():
                await self._warmed_up[group].wait()
            yield
            return

        self._warmed_up[group] = asyncio.Event()
        try:
            yield
        finally:
            self._warmed_up[group].set()

    async def _ask_within_deadline(self, hearing: Hearing, usages: list[Usage]) -> CallFailed:
        """Fill the answers until the deadline; return the failure of what has no answer then."""
        seconds = self._settings.deadline_seconds
        try:
            async with asyncio.timeout(seconds) as timeout:
                context = CallContext(timeout, usages)
                await self._ask(hearing, context)
                await self._ask_again(hearing, context)
        except TimeoutError:
            return CallFailed("timeout", f"No answer within {seconds:g} s.")
        return CallFailed("invalid", "No opinion was sent.")

    async def _ask(self, hearing: Hearing, context: CallContext) -> None:
        """Ask what has no answer, and once more what was truncated, malformed or unfounded."""
        pending = [q for id_, q in hearing.questions.items() if id_ not in hearing.answers]
        complaint = ""
        max_tokens = self._settings.max_completion_tokens * len(pending)

        for _ in range(ATTEMPTS):
            call = self._call(pending, complaint, max_tokens)
            try:
                async with self._after_warm_up(pending, context):
                    completion = await self._caller.send(call, context)
                hearing.answers |= parse_answers(completion, pending)
            except CallFailed as failed:
                hearing.answers |= {question.criterion.id: failed for question in pending}

            # A refusal or a timeout will not change; only what was written is asked about again.
            pending = [
                q for q in pending if _is_worth_asking_again(hearing.answers[q.criterion.id])
            ]
            if not pending:
                return
            first = hearing.answers[pending[0].criterion.id]
            is_truncated = isinstance(first, CallFailed) and first.kind == "truncated"
            complaint, max_tokens = (
                ("", max_tokens * 2) if is_truncated else (str(first), max_tokens)
            )

    def _call(self, questions: Sequence[Question], complaint: str, max_tokens: int) -> Call:
        persona = questions[0].persona
        model = self._settings.models[persona]
        return Call(
            model=model,
            client=self._clients[model],
            prompt=messages(questions, complaint),
            schema=schema_for(questions),
            max_tokens=max_tokens,
            temperature=self._settings.temperatures.get(persona),
            labels={
                "auditor.judge": persona,
                "auditor.criteria": [question.criterion.id for question in questions],
            },
        )

    async def _ask_again(self, hearing: Hearing, context: CallContext) -> None:
        """Read the places that the judge asks for, and ask it again, without another chance."""
        asking = {
            id_: [with_paths(place, hearing.questions[id_]) for place in answer.places]
            for id_, answer in hearing.answers.items()
            if isinstance(answer, ModelAnswer) and answer.places
        }
        for id_, places in asking.items():
            # At a deadline in between there is no answer, and nothing that was read.
            del hearing.answers[id_]
            hearing.places[id_] = tuple(
                ReadPlace(place=place, refusal=NOT_IN_TIME) for place in places
            )
            hearing.places[id_] = tuple(await hearing.read(places))
            hearing.questions[id_] = _with_what_was_read(
                hearing.questions[id_], hearing.places[id_]
            )
        if asking:
            await self._ask(hearing, context)

    def _record(
        self, question: Question, hearing: Hearing, missing: CallFailed
    ) -> JudicialOpinion | JudgeFailure:
        """Return the record under the key of the first question, so that it is found again."""
        id_, key = question.criterion.id, self.key(question)
        answer, model = hearing.answers.get(id_, missing), self._settings.models[question.persona]
        asked = [place.as_asked() for place in hearing.places.get(id_, ())]
        if isinstance(answer, ModelAnswer) and answer.score is not None:
            last = hearing.questions[id_]
            citations = resolve(answer.cited_evidence, last)
            return make_opinion(
                question,
                score=answer.score,
                argument=argument_of(answer, last),
                cited=citations.ids,
                cited_lines=citations.lines,
                invented=citations.invented,
                asked=asked,
                model=model,
                key=key,
            )
        failed = answer if isinstance(answer, CallFailed) else missing
        return make_failure(
            question, kind=failed.kind, message=failed.message, model=model, key=key, asked=asked
        )


def _with_what_was_read(question: Question, places: Sequence[ReadPlace]) -> Question:
    exhibits = [exhibit for place in places for exhibit in place.exhibits]
    refusals = [(place.place, place.refusal) for place in places if place.refusal]
    material, message = with_places(question.material, exhibits, refusals)
    changes = {"material": material, "answer_to_ask": message, "may_ask": False}
    return question.model_copy(update=changes)


def _is_worth_asking_again(answer: ModelAnswer | CallFailed) -> bool:
    return isinstance(answer, CallFailed) and answer.is_worth_asking_again


def _refuse_missing_settings(settings: BenchSettings) -> None:
    missing = [persona for persona in PERSONAS if not settings.models.get(persona)]
    if missing:
        raise InputRefused("bench_no_model", f"No model is set for: {', '.join(missing)}.")

    unpriced = sorted(set(settings.models.values()) - set(settings.prices))
    if settings.budget_usd is not None and unpriced:
        message = f"A budget needs a price for each model; none is set for: {', '.join(unpriced)}."
        raise InputRefused("bench_no_price", message)
