"""Who answers: the bench that the settings name, behind what is already known."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.judges.budget import Purse
from courtroom.judges.heuristic import HeuristicBench
from courtroom.judges.opinion import Answer, Bench, Brief
from courtroom.judges.rate_limit import OPEN, Gate
from courtroom.models.case import BenchSettings, Known
from courtroom.models.record import (
    CheckOutcome,
    Evidence,
    JudgeReference,
    JudicialOpinion,
    Persona,
    Usage,
)
from courtroom.models.rubric import Rubric
from courtroom.replay.report_reuse import opinions_of


class RememberingBench:
    """Answers a question that was answered before from the record; asks the bench behind it for the rest."""

    def __init__(self, bench: Bench, known: Known) -> None:
        self._bench = bench
        self._known = {opinion.key: opinion for opinion in known.opinions}
        if known.report:
            said = (one for one in opinions_of(known.report) if isinstance(one, JudicialOpinion))
            self._known |= {opinion.key: opinion for opinion in said}

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return self._bench.references

    @property
    def together(self) -> bool:
        return self._bench.together

    def docket(
        self, rubric: Rubric, evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
    ) -> str:
        return self._bench.docket(rubric, evidence, outcomes)

    def key(self, brief: Brief) -> str:
        return self._bench.key(brief)

    async def hear(self, briefs: Sequence[Brief]) -> list[Answer]:
        known = {brief.criterion.id: self._known.get(self._bench.key(brief)) for brief in briefs}
        unknown = [brief for brief in briefs if known[brief.criterion.id] is None]
        fresh = iter(await self._bench.hear(unknown) if unknown else ())
        return [
            Answer(opinion=said, usage=Usage(reused=1)) if said else next(fresh)
            for said in known.values()
        ]

    async def close(self) -> None:
        await self._bench.close()


def seat(
    settings: BenchSettings, known: Known, gate: Gate = OPEN, purse: Purse | None = None
) -> Bench:
    """The bench for these settings. The LLM bench is imported only when it is asked for: it is heavy.

    `purse`: where others spend from the same budget.
    """
    if settings.kind == "llm":
        from courtroom.judges.llm import LlmBench

        return RememberingBench(LlmBench(settings, gate, purse=purse), known)
    return RememberingBench(HeuristicBench(), known)
