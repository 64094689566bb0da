"""Make the bench that the settings name, behind the opinions that are already stored."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.judges.budget import Budget
from courtroom.judges.heuristic import HeuristicBench
from courtroom.judges.opinion import Answer, Bench, Question, ReadPlaces, read_nothing
from courtroom.judges.rate_limit import NO_LIMIT, RateLimit
from courtroom.models.audit_report import JudgeReference, Usage
from courtroom.models.case import BenchSettings, Known
from courtroom.models.judge_answer import JudicialOpinion, Persona
from courtroom.replay.report_reuse import opinions_of


class ReusingBench:
    """Answer from stored opinions where the question is the same; ask the inner bench otherwise."""

    def __init__(self, bench: Bench, earlier: Known) -> None:
        self._bench = bench
        self._stored = {opinion.key: opinion for opinion in earlier.opinions}

        if earlier.report:
            answers = opinions_of(earlier.report)
            opinions = (answer for answer in answers if isinstance(answer, JudicialOpinion))
            self._stored |= {opinion.key: opinion for opinion in opinions}

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return self._bench.references

    @property
    def asks_all_at_once(self) -> bool:
        return self._bench.asks_all_at_once

    def key(self, question: Question) -> str:
        return self._bench.key(question)

    async def answer(
        self, questions: Sequence[Question], read: ReadPlaces = read_nothing
    ) -> list[Answer]:
        # A key is a digest of all that a judge reads.
        keys = map(self._bench.key, questions) if self._stored else ("",) * len(questions)
        stored = [self._stored.get(key) for key in keys]
        pairs = zip(questions, stored, strict=True)
        unanswered = [question for question, opinion in pairs if opinion is None]

        # Only unanswered questions reach the inner bench; order is restored below.
        fresh = iter(await self._bench.answer(unanswered, read) if unanswered else ())
        return [
            Answer(opinion=opinion, usage=Usage(reused=1)) if opinion else next(fresh)
            for opinion in stored
        ]

    async def close(self) -> None:
        await self._bench.close()


def make_bench(
    settings: BenchSettings,
    earlier: Known,
    rate_limit: RateLimit = NO_LIMIT,
    budget: Budget | None = None,
) -> Bench:
    """Return the bench for these settings.

    `budget`: given when something else, such as the vision model, spends from the same one.
    """
    if settings.kind == "llm":
        # Imported here because it brings langchain-openai along, which takes a second to import.
        from courtroom.judges.llm import LlmBench

        return ReusingBench(LlmBench(settings, rate_limit, budget=budget), earlier)
    return ReusingBench(HeuristicBench(), earlier)
