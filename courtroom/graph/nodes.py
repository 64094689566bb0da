"""What each node of the graph does. Nodes read and write plain JSON; the rooms they call speak typed records.

No node touches a database or a tenant; the only clock is the stopwatch of the stages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from courtroom.detectives import (
    doc_analyst,
    evidence_aggregator,
    repo_investigator,
    vision_inspector,
)
from courtroom.detectives.detective_result import DetectiveResult, Dossier
from courtroom.detectives.report_passages import with_passages
from courtroom.detectives.targeting import owed
from courtroom.graph.state import AgentState, Hearing
from courtroom.inputs import Exhibits
from courtroom.judges.judge_inputs import JudgeAnswer, question_for
from courtroom.judges.opinion import Bench, Question
from courtroom.models.case import Case
from courtroom.models.record import PERSONAS, DetectiveName, JudgeFailure, JudicialOpinion, Persona
from courtroom.models.rubric import Check, Criterion
from courtroom.synthesis import chief_justice
from courtroom.synthesis.evidence_weight import dossier_of

Update = dict[str, Any]
# A detective's update where this very case's dossier is known: a task of the graph must write something.
NOTHING_TO_EXAMINE: Update = {"flags": ["known"]}


@dataclass(frozen=True)
class Court:
    """One audit's court: the case, its exhibits, the bench and how many may answer at once.

    `debate`: every criterion is heard a second time, each judge shown what the others argued.
    `eyes` look at pictures, where a vision model is set.
    """

    case: Case
    exhibits: Exhibits
    bench: Bench
    seats: asyncio.Semaphore
    debate: bool = False
    eyes: vision_inspector.Eyes | None = None

    def build_context(self, state: AgentState) -> Update:  # noqa: ARG002 -- the protocol of a node
        """The targeting protocol: which detective owes which checks of the rubric."""
        return {
            "targets": {
                name: [c.id for c in checks] for name, checks in owed(self.case.rubric).items()
            }
        }

    def investigate_repository(self, state: AgentState) -> Update:
        snapshot, seen = self.exhibits.snapshot, self.exhibits.repository
        if isinstance(seen, Dossier):
            return NOTHING_TO_EXAMINE

        def examine(checks: tuple[Check, ...]) -> DetectiveResult:
            return repo_investigator.investigate(seen, snapshot, checks, self.case.exchange)

        return _testify(self.case, state, "RepoInvestigator", examine)

    def analyse_document(self, state: AgentState) -> Update:
        if self.exhibits.known:
            return NOTHING_TO_EXAMINE
        pdf = self.exhibits.pdf
        return _testify(
            self.case, state, "DocAnalyst", lambda checks: doc_analyst.analyse(pdf, checks)
        )

    async def inspect_diagrams(self, state: AgentState) -> Update:
        if self.exhibits.known:
            return NOTHING_TO_EXAMINE
        begin, pdf = perf_counter(), self.exhibits.pdf
        look = await vision_inspector.look(pdf, self.eyes)

        def examine(checks: Sequence[Check]) -> DetectiveResult:
            return vision_inspector.inspect(pdf, checks, look)

        return await asyncio.to_thread(
            _testify, self.case, state, "VisionInspector", examine, begin
        )

    def aggregate_evidence(self, state: AgentState) -> Update:
        """Join the three testimonies, cross-reference and verify them; once, whatever order they came in."""
        if self.exhibits.known is not None:
            return {"dossier": self.exhibits.known.model_dump(mode="json", by_alias=True)}
        begin = perf_counter()
        dossier = evidence_aggregator.aggregate(
            _testimonies(state), self.exhibits.snapshot, self.case.rubric, self.exhibits.pdf
        )
        if any(judge.kind == "llm" for judge in self.bench.references.values()):
            dossier = with_passages(dossier, self.case.rubric, self.exhibits.pdf)
        return {
            "dossier": dossier.model_dump(mode="json", by_alias=True),
            "flags": ["integrity"] if dossier.integrity.suspected else [],
            "timings": {"EvidenceAggregator": perf_counter() - begin},
        }

    def has_enough_evidence(self, state: AgentState) -> bool:
        return len(state["dossier"]["evidence"]) >= self.case.constitution.min_evidence

    def first_hearings(self, state: AgentState) -> list[tuple[Persona, Hearing]]:
        return self._hearings(state, [c.id for c in self.case.rubric.criteria], 1)

    def hearings_again(self, state: AgentState) -> list[tuple[Persona, Hearing]]:
        """Contested criteria, each judge shown what the bench said before."""
        return self._hearings(state, state["contested"], state["round"] + 1)

    def _hearings(
        self, state: AgentState, criteria: Sequence[str], hearing: int
    ) -> list[tuple[Persona, Hearing]]:
        """In the order of the rubric and the judges, which is the order in which answers are merged."""
        dossier, said = Dossier.model_validate(state["dossier"]), heard(state)
        shared_prompt = self.bench.shared_prompt(
            self.case.rubric, dossier.evidence, dossier.outcomes
        )

        def brief(persona: Persona, criterion: Criterion) -> dict[str, Any]:
            shown = question_for(
                persona, criterion, dossier.evidence, dossier.outcomes, hearing, said, shared_prompt
            )
            return shown.model_dump(mode="json")

        heard_now = [
            criterion for criterion in self.case.rubric.criteria if criterion.id in criteria
        ]
        batches = (
            [heard_now] if self.bench.asks_all_at_once else [[criterion] for criterion in heard_now]
        )
        return [
            (persona, {"briefs": [brief(persona, criterion) for criterion in batch]})
            for batch in batches
            for persona in PERSONAS
        ]

    async def answer(self, state: Hearing) -> Update:
        """One judge on one criterion or on all. Never raises: the bench returns failures as values."""
        briefs = [Question.model_validate(brief) for brief in state["briefs"]]
        async with self.seats:
            answers = await self.bench.answer(briefs)
        return {
            "opinions": [answer.opinion.model_dump(mode="json") for answer in answers],
            "usage": [answer.usage.model_dump(mode="json") for answer in answers],
        }

    def collect_opinions(self, state: AgentState) -> Update:
        said = heard(state)
        hearing = max(o.round for o in said)
        if self.debate and hearing == 1:
            return {
                "round": hearing,
                "contested": [criterion.id for criterion in self.case.rubric.criteria],
            }
        return {"round": hearing, "contested": list(self._contested(state, said, hearing))}

    def call_again(self, state: AgentState) -> Update:  # noqa: ARG002 -- the protocol of a node
        """Note on the record that the bench disagreed and some criteria are heard again."""
        return {"flags": ["rehearing"]}

    def _contested(
        self, state: AgentState, said: Sequence[JudgeAnswer], hearing: int
    ) -> tuple[str, ...]:
        found = Dossier.model_validate(state["dossier"])
        dossier = dossier_of(found.evidence, found.outcomes, found.facts)
        return chief_justice.contested(
            self.case.rubric, self.case.constitution, said, hearing, dossier
        )


def _testify(
    case: Case,
    state: AgentState,
    name: DetectiveName,
    examine: Callable[[tuple[Check, ...]], DetectiveResult],
    begin: float | None = None,
) -> Update:
    """One detective's turn at the checks it owes; it began now, or at `begin`."""
    begin, owes = begin or perf_counter(), set(state["targets"].get(name, []))
    testimony = examine(tuple(c for c in case.rubric.checks if c.id in owes)).model_dump(
        mode="json"
    )
    return {
        "evidences": {name: testimony.pop("evidence")},
        "errors": testimony.pop("errors"),
        "testimonies": {name: testimony},
        "timings": {name: perf_counter() - begin},
    }


def heard(state: AgentState) -> tuple[JudgeAnswer, ...]:
    """The opinions and failures on the record so far."""
    return tuple(
        JudgeFailure.model_validate(row)
        if "failure" in row
        else JudicialOpinion.model_validate(row)
        for row in state.get("opinions", [])
    )


def _testimonies(state: AgentState) -> list[DetectiveResult]:
    errors = state.get("errors", [])
    return [
        DetectiveResult.model_validate(
            {
                **rest,
                "evidence": state["evidences"][name],
                "errors": [e for e in errors if e["stage"] == name],
            }
        )
        for name, rest in state["testimonies"].items()
    ]
