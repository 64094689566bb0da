"""Who answers: the bench that the settings name, behind what is already known."""

from __future__ import annotations

from collections.abc import Sequence

from courtroom.case import BenchSettings, Known
from courtroom.judges.heuristic import HeuristicBench
from courtroom.judges.opinion import Answer, Bench, Brief
from courtroom.record import Evidence, JudgeReference, JudicialOpinion, Persona, Usage
from courtroom.rubric import Rubric


class RememberingBench:
    """Answers a question that was answered before from the record; asks the bench behind it for the rest."""

    def __init__(self, bench: Bench, known: Known) -> None:
        self._bench = bench
        self._known = {opinion.key: opinion for opinion in known.opinions}
        if known.report:
            self._known |= {o.key: o for o in _opinions_of(known)}

    @property
    def references(self) -> dict[Persona, JudgeReference]:
        return self._bench.references

    def docket(self, rubric: Rubric, evidence: Sequence[Evidence]) -> str:
        return self._bench.docket(rubric, evidence)

    def key(self, brief: Brief) -> str:
        return self._bench.key(brief)

    async def hear(self, brief: Brief) -> Answer:
        known = self._known.get(self._bench.key(brief))
        if known is not None:
            return Answer(opinion=known, usage=Usage(reused=1))
        return await self._bench.hear(brief)


def _opinions_of(known: Known) -> list[JudicialOpinion]:
    if known.report is None:
        return []
    return [
        JudicialOpinion(
            judge=row.judge,
            criterion_id=criterion.id,
            round=row.round,
            score=row.score,
            argument=row.argument,
            cited_evidence=row.cited_evidence,
            model=row.model,
            key=row.key,
        )
        for criterion in known.report.criteria
        for row in criterion.opinions
        if row.score is not None
    ]


def seat(settings: BenchSettings, known: Known) -> Bench:
    """The bench for these settings. The LLM bench is imported only when it is asked for: it is heavy."""
    if settings.kind == "llm":
        from courtroom.judges.llm import LlmBench

        return RememberingBench(LlmBench(settings), known)
    return RememberingBench(HeuristicBench(), known)
