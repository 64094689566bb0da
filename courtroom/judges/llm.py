"""Three judges by a model. Every way to fail ends as a typed JudgeFailure.

One deadline covers an answer with all its calls; waiting for budget or rate limit does not count.
An answer that was truncated or does not fit the schema is asked for once more, with more tokens or
with the error.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from courtroom.judges.answer_schema import (
    ModelAnswer,
    argument_of,
    cited_ids,
    parse_answers,
    schema_for,
)
from courtroom.judges.budget import Budget, total_usage
from courtroom.judges.opinion import Answer, Question, make_failure, make_opinion
from courtroom.judges.prompts import messages, prompt_digest, shared_prompt_limit
from courtroom.judges.provider_call import Call, CallContext, ProviderCaller
from courtroom.judges.provider_failures import CallFailed
from courtroom.judges.providers import ModelClients
from courtroom.judges.rate_limit import NO_LIMIT, RateLimit
from courtroom.judges.shared_prompt import shared_prompt
from courtroom.models.audit_report import JudgeReference, Usage
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.judge_answer import PERSONAS, JudgeFailure, JudicialOpinion, Persona
from courtroom.models.rubric import Rubric

# An answer that was truncated or malformed is asked for once more.
ATTEMPTS = 2
# Criterion id -> its answer, or the reason why there is none.
AnswersById = dict[str, ModelAnswer | CallFailed]


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
        self._warmed_up: dict[str, asyncio.Event] = {}

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

    def shared_prompt(
        self, rubric: Rubric, evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
    ) -> str:
        limit = shared_prompt_limit(
            self._settings.prompt_characters, rubric, asks_all_at_once=self.asks_all_at_once
        )
        secret = self._settings.fence_secret.get_secret_value()
        return shared_prompt(rubric, evidence, secret, outcomes=outcomes, limit=limit)

    def key(self, question: Question) -> str:
        model, endpoint = self._settings.models[question.persona], self._settings.base_url
        return question.digest(f"{model} {prompt_digest(question.persona)} {endpoint}")

    async def answer(self, questions: Sequence[Question]) -> list[Answer]:
        model = self._settings.models[questions[0].persona]
        answers: AnswersById = {}
        usages: list[Usage] = []

        async with self._after_warm_up(model):
            # Answers that arrived before a timeout are kept.
            missing = await self._ask_within_deadline(questions, answers, usages)

        records = [
            self._record(question, answers.get(question.criterion.id, missing), model)
            for question in questions
        ]
        # One call may answer several questions: its usage is booked on the first of them.
        return [
            Answer(opinion=record, usage=Usage() if index else total_usage(usages))
            for index, record in enumerate(records)
        ]

    async def close(self) -> None:
        await self._all_clients.close()

    @asynccontextmanager
    async def _after_warm_up(self, model: str) -> AsyncIterator[None]:
        """Let the first call of a model go alone where the provider caches prefixes."""
        if not self._settings.warm_up:
            yield
            return
        if model in self._warmed_up:
            await self._warmed_up[model].wait()
            yield
            return

        self._warmed_up[model] = asyncio.Event()
        try:
            yield
        finally:
            self._warmed_up[model].set()

    async def _ask_within_deadline(
        self, questions: Sequence[Question], answers: AnswersById, usages: list[Usage]
    ) -> CallFailed:
        """Fill `answers` until the deadline; return the failure of the questions without answer."""
        seconds = self._settings.deadline_seconds
        try:
            async with asyncio.timeout(seconds) as timeout:
                await self._ask(questions, answers, CallContext(timeout, usages))
        except TimeoutError:
            return CallFailed("timeout", f"No answer within {seconds:g} s.")
        return CallFailed("invalid", "No opinion was sent.")

    async def _ask(
        self, questions: Sequence[Question], answers: AnswersById, context: CallContext
    ) -> None:
        """Ask all questions, and once more those whose answer was truncated or malformed."""
        model = self._settings.models[questions[0].persona]
        pending, complaint = list(questions), ""
        max_tokens = self._settings.max_completion_tokens * len(questions)

        for _ in range(ATTEMPTS):
            call = Call(
                model=model,
                client=self._clients[model],
                prompt=messages(pending, complaint),
                schema=schema_for(pending),
                max_tokens=max_tokens,
            )
            try:
                answers |= parse_answers(await self._caller.send(call, context), pending)
            except CallFailed as failed:
                answers |= {question.criterion.id: failed for question in pending}

            # A refusal or a timeout will not change; only format errors are asked about again.
            pending = [q for q in pending if _is_worth_asking_again(answers[q.criterion.id])]
            if not pending:
                return
            first = answers[pending[0].criterion.id]
            is_truncated = isinstance(first, CallFailed) and first.kind == "truncated"
            complaint, max_tokens = (
                ("", max_tokens * 2) if is_truncated else (str(first), max_tokens)
            )

    def _record(
        self, question: Question, answer: ModelAnswer | CallFailed, model: str
    ) -> JudicialOpinion | JudgeFailure:
        key = self.key(question)
        if isinstance(answer, CallFailed):
            return make_failure(
                question, kind=answer.kind, message=answer.message, model=model, key=key
            )
        return make_opinion(
            question,
            score=answer.score,
            argument=argument_of(answer, question),
            cited=cited_ids(answer, question),
            model=model,
            key=key,
        )


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
