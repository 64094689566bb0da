"""Nodes of the graph. They read and write plain JSON and call packages that use typed records.

No node touches a database or a tenant; the only clock measures the stages.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from courtroom.checks.registry import Check
from courtroom.detectives import (
    doc_analyst,
    evidence_aggregator,
    repo_investigator,
    vision_inspector,
)
from courtroom.detectives.detective_result import DetectiveResult, Dossier
from courtroom.detectives.report_passages import with_passages
from courtroom.detectives.targeting import owed
from courtroom.graph.asking import PlaceReader, judges_who_may_ask
from courtroom.graph.exhibit_selection import materials_on, select_materials, without_passages
from courtroom.graph.state import AgentState, JudgeTask
from courtroom.inputs import AuditInputs
from courtroom.judges.budget import total_usage
from courtroom.judges.judge_inputs import (
    NO_MATERIAL,
    JudgeAnswer,
    is_doubtful,
    question_for,
    without_words,
)
from courtroom.judges.material import Material
from courtroom.judges.opinion import Answer, Bench, Question
from courtroom.models.audit_report import RecordedError
from courtroom.models.case import BenchSettings, Case
from courtroom.models.check import STORED
from courtroom.models.evidence import DetectiveName
from courtroom.models.judge_answer import (
    OUTCOMES_ROUND,
    PERSONAS,
    JudgeFailure,
    JudicialOpinion,
    Persona,
)
from courtroom.models.rubric import Criterion
from courtroom.synthesis import chief_justice
from courtroom.synthesis.evidence_weight import dossier_of
from courtroom.synthesis.opinions import CriterionAnswers
from courtroom.synthesis.ruling_context import RulingContext
from courtroom.synthesis.sufficient_evidence import why_insufficient

if TYPE_CHECKING:
    # Brings langchain-openai along.
    from courtroom.judges.screening import Screened, Screener

Update = dict[str, Any]
Examine = Callable[[tuple[Check, ...]], DetectiveResult]
# Update of a detective when the dossier is reused: langgraph wants every task to write something.
NOTHING_TO_EXAMINE: Update = {"flags": ["known"]}


@dataclass(frozen=True)
class AuditNodes:
    """Nodes of one audit, with the case, its inputs and its bench.

    `slots`: how many judges may answer at once. `settings`: those of the bench. `vision`: reads
    images, where a model is set. `screener`: screens the prose that judges read, where one does.
    """

    case: Case
    inputs: AuditInputs
    bench: Bench
    slots: asyncio.Semaphore
    settings: BenchSettings = field(default_factory=BenchSettings)
    vision: vision_inspector.ImageReader | None = None
    screener: Screener | None = None

    def build_context(self, state: AgentState) -> Update:  # noqa: ARG002 -- the protocol of a node
        """Tell each detective which checks of the rubric it owes (the targeting protocol)."""
        checks_by_detective = owed(self.case.rubric)
        return {
            "targets": {
                name: [check.id for check in checks] for name, checks in checks_by_detective.items()
            }
        }

    def investigate_repository(self, state: AgentState) -> Update:
        snapshot, repository = self.inputs.snapshot, self.inputs.repository
        if isinstance(repository, Dossier):
            return NOTHING_TO_EXAMINE

        def examine(checks: tuple[Check, ...]) -> DetectiveResult:
            return repo_investigator.investigate(repository, snapshot, checks, self.case.exchange)

        return _run_detective(self.case, state, "RepoInvestigator", examine)

    def analyse_document(self, state: AgentState) -> Update:
        if self.inputs.reused_dossier:
            return NOTHING_TO_EXAMINE

        pdf = self.inputs.pdf
        return _run_detective(
            self.case, state, "DocAnalyst", lambda checks: doc_analyst.analyse(pdf, checks)
        )

    async def inspect_diagrams(self, state: AgentState) -> Update:
        if self.inputs.reused_dossier:
            return NOTHING_TO_EXAMINE

        begin, pdf = perf_counter(), self.inputs.pdf
        images = await vision_inspector.analyse_images(pdf, self.vision)

        def examine(checks: Sequence[Check]) -> DetectiveResult:
            return vision_inspector.inspect(pdf, checks, images)

        # The geometry of drawings takes seconds: not on the event loop, which the nodes share.
        return await asyncio.to_thread(
            _run_detective, self.case, state, "VisionInspector", examine, begin
        )

    def aggregate_evidence(self, state: AgentState) -> Update:
        """Join, cross-reference and verify the three results; runs once, after all of them."""
        begin = perf_counter()
        dossier = self.inputs.reused_dossier or evidence_aggregator.aggregate(
            _detective_results(state), self.inputs.snapshot, self.case.rubric, self.inputs.pdf
        )
        # Passages of the PDF serve models only; the heuristic bench reads outcomes.
        if self.has_models:
            dossier = with_passages(dossier, self.case.rubric, self.inputs.pdf)

        return {
            "dossier": dossier.model_dump(mode="json", by_alias=True),
            "flags": ["integrity"] if dossier.integrity.suspected else [],
            "timings": {"EvidenceAggregator": perf_counter() - begin},
        }

    async def select_exhibits(self, state: AgentState) -> Update:
        """Choose what the judges of each criterion read; runs only where models judge."""
        begin = perf_counter()
        dossier = Dossier.model_validate(state["dossier"])
        # Sources are read and parsed in child processes: not on the event loop.
        materials, errors = await asyncio.to_thread(
            select_materials, self.case, self.inputs, self.settings, dossier
        )
        update: Update = {"materials": _rows(materials)}
        # A stored answer about this prose spares the call, and the wait for it.
        if self.screener:
            stored = await asyncio.to_thread(
                self.screener.recall, list(materials.values()), dossier.evidence
            )
            update |= await self._screened_update(stored, materials, dossier) if stored else {}
        return {
            **update,
            "errors": [error.model_dump(mode="json") for error in errors],
            "timings": {"ExhibitSelection": perf_counter() - begin},
        }

    async def screen_prose(self, state: AgentState) -> Update:
        """Let a model name the prose that addresses the graders; the judges wait for it."""
        if self.screener is None:
            raise RuntimeError("there is no model to screen the prose")
        begin = perf_counter()
        try:
            dossier = Dossier.model_validate(state["dossier"])
            self.screener.materials = materials = _materials(state)
            async with self.slots:
                result = await self.screener.screen(list(materials.values()), dossier.evidence)
            update = await self._screened_update(result, materials, dossier)
            self.screener.materials = _materials(update)
        finally:
            # Whatever happens, the judges go on with what there is.
            self.screener.finished.set()
        return {**update, "timings": {"Screening": perf_counter() - begin}}

    async def _screened_update(
        self, result: Screened, materials: Mapping[str, Material], dossier: Dossier
    ) -> Update:
        criteria, named = self.case.rubric.criteria, result.passages
        cut = await asyncio.to_thread(
            without_passages, criteria, dossier, self.settings, materials, named, result.lines
        )
        error = RecordedError(
            stage="screening", code=f"screening_{result.record.failure}", message=result.message
        )
        return {
            "materials": _rows(cut),
            "screening": {
                "record": result.record.model_dump(mode="json"),
                "passages": [passage.model_dump(mode="json") for passage in named],
                "usage": result.usage.model_dump(mode="json"),
            },
            "errors": [error.model_dump(mode="json")] if result.record.failure else [],
            "flags": ["integrity"] if named else [],
        }

    def has_enough_evidence(self, state: AgentState) -> bool:
        """Return whether anything can be judged (synthesis/sufficient_evidence.py)."""
        dossier = Dossier.model_validate(state["dossier"])
        return not why_insufficient(
            self.case.constitution, dossier.evidence, dossier.facts, dossier.outcomes
        )

    def has_failures(self, state: AgentState) -> bool:
        """Return whether a detective, or a reader of it, failed on some check."""
        return any(outcome.get("has_failed") for outcome in state["dossier"]["outcomes"])

    def collect_errors(self, state: AgentState) -> Update:
        """Leave out the criteria that the constitution does not judge after a failure."""
        stored = Dossier.model_validate(state["dossier"])
        dossier = dossier_of(stored.evidence, stored.outcomes, stored.facts)
        contexts = [
            RulingContext(criterion, self.case.constitution, CriterionAnswers(()), dossier)
            for criterion in self.case.rubric.criteria
        ]
        unjudged = [c.criterion.id for c in contexts if chief_justice.failed_check(c)]
        return {"unjudged": unjudged, "flags": ["detective_failed"]}

    def judged(self, state: AgentState) -> list[str]:
        """Return ids of the criteria that judges are asked about."""
        unjudged = state.get("unjudged", [])
        return [c.id for c in self.case.rubric.criteria if c.id not in unjudged]

    def first_round(self, state: AgentState) -> list[tuple[Persona, JudgeTask]]:
        tasks = self._judge_tasks(state, self.judged(state), 1)
        return self._unscreened(tasks) if self.is_unscreened(state) else tasks

    def next_round(self, state: AgentState) -> list[tuple[Persona, JudgeTask]]:
        """Return tasks for contested criteria; each judge sees the opinions of the last round."""
        return self._judge_tasks(state, state["contested"], state["round"] + 1)

    def _judge_tasks(
        self, state: AgentState, criterion_ids: Sequence[str], round_number: int
    ) -> list[tuple[Persona, JudgeTask]]:
        """Return tasks in the order of rubric and judges: answers are merged in this order."""
        dossier = Dossier.model_validate(state["dossier"])
        criteria = [c for c in self.case.rubric.criteria if c.id in criterion_ids]
        return self._tasks(criteria, dossier, round_number, answers_of(state), _materials(state))

    def is_unscreened(self, state: AgentState) -> bool:
        return self.screener is not None and self.has_models and "screening" not in state

    def _unscreened(
        self, tasks: Sequence[tuple[Persona, JudgeTask]]
    ) -> list[tuple[Persona, JudgeTask]]:
        """Return the tasks of judges whose prose is screened meanwhile.

        Of those that read the same with the same model, the first goes ahead to warm the cache.
        """
        models, first_of, marked = self.settings.models, set(), []
        for persona, task in tasks:
            group = models[persona], task["questions"][0]["criterion"]["id"]
            goes_ahead = self.settings.warm_up and group not in first_of
            first_of.add(group)
            own = JudgeTask(questions=task["questions"], is_unscreened=True, goes_ahead=goes_ahead)
            marked.append((persona, own))
        return marked

    def outcomes_round(self, state: AgentState) -> list[tuple[Persona, JudgeTask]]:
        """Return tasks for doubtful criteria, which show outcomes and no word of the submission."""
        stored = Dossier.model_validate(state["dossier"])
        criteria = [c for c in self.case.rubric.criteria if c.id in state["doubtful"]]
        evidence, outcomes = without_words(criteria, stored.evidence, stored.outcomes)
        dossier = stored.model_copy(update={"evidence": evidence, "outcomes": outcomes})
        materials = materials_on(criteria, dossier, self.settings)
        return self._tasks(criteria, dossier, OUTCOMES_ROUND, (), materials)

    def _tasks(
        self,
        criteria: Sequence[Criterion],
        dossier: Dossier,
        round_number: int,
        earlier: Sequence[JudgeAnswer],
        materials: Mapping[str, Material],
    ) -> list[tuple[Persona, JudgeTask]]:
        is_asking = self.settings.may_ask and round_number == 1
        may_ask = judges_who_may_ask(criteria, materials) if is_asking else frozenset()

        def question(persona: Persona, criterion: Criterion) -> dict[str, Any]:
            return question_for(
                persona,
                criterion,
                dossier.evidence,
                dossier.outcomes,
                round_number,
                earlier,
                # Whoever judges by reading is never asked about a criterion without material.
                materials[criterion.id] if self.has_models else NO_MATERIAL,
                may_ask=(persona, criterion.id) in may_ask,
            ).model_dump(mode="json")

        # A bench may put all criteria to a judge in one call.
        batches = [criteria] if self.bench.asks_all_at_once else [[c] for c in criteria]
        return [
            (persona, {"questions": [question(persona, criterion) for criterion in batch]})
            for batch in batches
            for persona in PERSONAS
        ]

    async def answer(self, state: JudgeTask) -> Update:
        """Let one judge answer one criterion or all. The bench returns failures as values."""
        questions = [
            Question.model_validate(question, context=STORED) for question in state["questions"]
        ]
        if not state.get("is_unscreened"):
            answers = await self._ask(questions)
        elif not state.get("goes_ahead"):
            answers = await self._ask(await self._screened(questions))
        else:
            answers = await self._ask(questions)
            answers = await self._ask_about_what_was_cut(questions, answers)
        return {
            "opinions": [answer.opinion.model_dump(mode="json") for answer in answers],
            "usage": [answer.usage.model_dump(mode="json") for answer in answers],
        }

    async def _ask(self, questions: Sequence[Question]) -> list[Answer]:
        reader = PlaceReader(self.inputs.snapshot, self.case.limits)
        # Bounds the calls of one audit, whatever the number of tasks that langgraph starts.
        async with self.slots:
            return await self.bench.answer(questions, reader.read)

    async def _screened(self, questions: Sequence[Question]) -> list[Question]:
        """Return the questions with what may be read, once the screening is finished."""
        if self.screener is None:
            return list(questions)
        await self.screener.finished.wait()
        materials = self.screener.materials
        return [q.model_copy(update={"material": materials[q.criterion.id]}) for q in questions]

    async def _ask_about_what_was_cut(
        self, questions: Sequence[Question], answers: Sequence[Answer]
    ) -> list[Answer]:
        """Replace answers to questions that the screening has changed; both calls are paid."""
        screened = await self._screened(questions)
        is_outdated = list(map(_is_outdated, answers, questions, screened))
        changed = [new for new, outdated in zip(screened, is_outdated, strict=True) if outdated]
        fresh = iter(await self._ask(changed) if changed else ())
        return [
            _replaced(answer, next(fresh)) if outdated else self._under_key_of(question, answer)
            for question, answer, outdated in zip(screened, answers, is_outdated, strict=True)
        ]

    def _under_key_of(self, question: Question, answer: Answer) -> Answer:
        """Return the answer under the key of the screened question, by which it is reused."""
        opinion = answer.opinion.model_copy(update={"key": self.bench.key(question)})
        return answer.model_copy(update={"opinion": opinion})

    def collect_opinions(self, state: AgentState) -> Update:
        answers = answers_of(state)
        # Failures count too: a judge that failed has had its turn in this round.
        round_number = max(answer.round for answer in answers)

        if self.settings.debate and self.settings.kind == "llm" and round_number == 1:
            contested = self.judged(state)
        else:
            contested = list(self._contested(state, answers, round_number))
        doubtful = [] if contested else self._doubtful(state, answers)
        return {"round": round_number, "contested": contested, "doubtful": doubtful}

    def _doubtful(self, state: AgentState, answers: Sequence[JudgeAnswer]) -> list[str]:
        """Return ids of criteria whose text may address the graders, if models judged them."""
        if any(answer.round == OUTCOMES_ROUND for answer in answers) or not self.has_models:
            return []
        dossier = Dossier.model_validate(state["dossier"])
        return [
            criterion.id
            for criterion in self.case.rubric.criteria
            if is_doubtful(criterion, dossier.evidence, dossier.outcomes)
        ]

    @property
    def has_models(self) -> bool:
        return any(judge.kind == "llm" for judge in self.bench.references.values())

    def start_second_hearing(self, state: AgentState) -> Update:  # noqa: ARG002 -- protocol of a node
        """Flag that some criteria are heard on outcomes alone."""
        return {"flags": ["second_hearing"]}

    def start_rehearing(self, state: AgentState) -> Update:  # noqa: ARG002 -- protocol of a node
        """Flag that the judges disagreed and some criteria get another round."""
        return {"flags": ["rehearing"]}

    def _contested(
        self, state: AgentState, answers: Sequence[JudgeAnswer], round_number: int
    ) -> tuple[str, ...]:
        stored = Dossier.model_validate(state["dossier"])
        dossier = dossier_of(stored.evidence, stored.outcomes, stored.facts)
        return chief_justice.contested(
            self.case.rubric, self.case.constitution, answers, round_number, dossier
        )


def _rows(materials: Mapping[str, Material]) -> dict[str, dict[str, Any]]:
    return {id_: material.model_dump(mode="json") for id_, material in materials.items()}


def _materials(state: Mapping[str, Any]) -> dict[str, Material]:
    return {id_: Material.model_validate(row) for id_, row in state.get("materials", {}).items()}


def _is_outdated(answer: Answer, before: Question, after: Question) -> bool:
    """Return whether a judge has read, or asked to read, what may now be withheld."""
    if before.material.text != after.material.text:
        return True
    has_asked = isinstance(answer.opinion, JudicialOpinion) and bool(answer.opinion.asked)
    return has_asked and before.material.named != after.material.named


def _replaced(answer: Answer, fresh: Answer) -> Answer:
    usage = total_usage([answer.usage, fresh.usage])
    return fresh.model_copy(update={"usage": usage})


def _run_detective(
    case: Case,
    state: AgentState,
    name: DetectiveName,
    examine: Examine,
    begin: float | None = None,
) -> Update:
    """Run one detective on the checks it owes; `begin` is its start, where that lies before."""
    begin = begin or perf_counter()
    check_ids = set(state["targets"].get(name, []))
    checks = tuple(check for check in case.rubric.checks if check.id in check_ids)

    return detective_update(examine(checks)) | {"timings": {name: perf_counter() - begin}}


def detective_update(result: DetectiveResult) -> Update:
    """Return what a detective writes to the state."""
    row = result.model_dump(mode="json")
    return {
        "evidences": {result.detective: row.pop("evidence")},
        "errors": row.pop("errors"),
        "detective_results": {result.detective: row},
    }


def answers_of(state: AgentState) -> tuple[JudgeAnswer, ...]:
    """Return the opinions and failures that the state holds so far."""
    return tuple(
        JudgeFailure.model_validate(row)
        if "failure" in row
        else JudicialOpinion.model_validate(row)
        for row in state.get("opinions", [])
    )


def _detective_results(state: AgentState) -> list[DetectiveResult]:
    errors = state.get("errors", [])
    return [
        DetectiveResult.model_validate(
            {
                **result,
                "evidence": state["evidences"][name],
                "errors": [error for error in errors if error["stage"] == name],
            }
        )
        for name, result in state["detective_results"].items()
    ]
