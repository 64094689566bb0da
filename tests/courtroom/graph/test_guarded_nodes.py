"""An exception in a node: a typed error in the report, and the audit goes on to a report."""

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest

from courtroom.detectives.detective_result import Dossier
from courtroom.graph.nodes import AuditNodes
from courtroom.graph.wiring import build_graph
from courtroom.inputs import InputReader
from courtroom.judges.heuristic import HeuristicBench
from courtroom.judges.opinion import Answer, Question, make_opinion
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import BenchSettings
from courtroom.models.errors import InputRefused
from courtroom.models.judge_answer import Persona, Score
from courtroom.replay.report_reuse import dossier_of, reusable_dossier
from courtroom.synthesis.rules import VarianceReEvaluation
from tests.factories.student_project import case_of, student_repository

UNEXPECTED = "A step of the audit failed unexpectedly"


class HurtBench(HeuristicBench):
    """Bench with one part out of order: each breaks the promise that a bench makes to the graph."""

    def __init__(self, part):
        super().__init__()
        self.part = part

    @property
    def asks_all_at_once(self):
        if self.part == "batch":
            raise KeyError("/home/somebody/a-path")
        return super().asks_all_at_once

    async def answer(self, questions, read=None):
        if self.part == "answer" or self.part == questions[0].persona:
            raise OSError("cannot read /home/somebody/a-path")
        answers = await super().answer(questions)
        return [] if self.part == "silent" else answers


@pytest.fixture(scope="module")
def case_and_inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("guarded")
    case = case_of(student_repository(folder))
    return case, InputReader(case, folder / "work").wait()


def audit(case, inputs, bench=None, **fields):
    nodes = AuditNodes(
        case=case,
        inputs=inputs,
        bench=bench or HeuristicBench(),
        slots=asyncio.Semaphore(30),
        **fields,
    )
    state = asyncio.run(build_graph(nodes).ainvoke({}, config={"recursion_limit": 25}))
    return AuditReport.model_validate(state["report"])


@pytest.fixture(scope="module")
def whole(case_and_inputs):
    """The report of an audit in which nothing fails."""
    return audit(*case_and_inputs)


def failures_of(report):
    """Return stage and code of every error, and that no message holds more than our sentence."""
    assert all("somebody" not in error.message for error in report.errors)
    return {(error.stage, error.code) for error in report.errors}


def scored(report):
    return {c.id for c in report.criteria if c.final_score is not None}


@pytest.mark.parametrize(
    ("field", "value", "stages"),
    [
        ("repository", None, {"RepoInvestigator"}),
        ("pdf", object(), {"DocAnalyst", "VisionInspector"}),
    ],
)
def test_detective_that_fails_leaves_its_checks_open_and_the_others_judge(
    case_and_inputs, whole, field, value, stages
):
    case, inputs = case_and_inputs
    report = audit(case, replace(inputs, **{field: value}))
    assert {(stage, "node_failed") for stage in stages} <= failures_of(report)
    assert report.status in ("needs_review", "degraded")
    assert scored(report) < scored(whole)


def test_aggregator_that_fails_gives_a_degraded_report(case_and_inputs):
    case, inputs = case_and_inputs
    # An earlier dossier that cannot be written as JSON.
    broken = cast("Any", Dossier).model_construct(evidence=object())
    report = audit(case, replace(inputs, repository=broken))
    assert failures_of(report) == {("evidence_aggregator", "node_failed")}
    assert (report.status, report.evidence, scored(report)) == ("degraded", (), set())
    assert all(check.met is None for c in report.criteria for check in c.checks)


def test_route_to_the_judges_that_fails_gives_a_degraded_report_with_evidence(case_and_inputs):
    case, inputs = case_and_inputs
    report = audit(case, inputs, HurtBench("batch"))
    assert failures_of(report) == {("evidence_aggregator", "node_failed")}
    assert (report.status, scored(report)) == ("degraded", set())
    assert report.evidence


class ReadingBench(HeuristicBench):
    """Heuristic bench that says it is a model's: its judges get something to read."""

    @property
    def references(self):
        return {
            persona: reference.model_copy(update={"kind": "llm"})
            for persona, reference in super().references.items()
        }


def test_exhibits_that_fail_are_recorded_and_the_outcomes_are_judged(case_and_inputs, whole):
    case, inputs = case_and_inputs
    hurt = case.model_copy(update={"limits": None})
    report = audit(hurt, replace(inputs, repository=dossier_of(whole)), ReadingBench())
    assert failures_of(report) == {("exhibit_selection", "exhibits_failed")}
    assert len(scored(report)) == len(case.rubric.criteria)


def test_one_judge_that_raises_is_a_failure_on_each_criterion_and_two_judge(case_and_inputs):
    case, inputs = case_and_inputs
    report = audit(case, inputs, HurtBench("Defense"))
    errors = [(e.stage, e.judge, e.criterion, e.code) for e in report.errors]
    assert errors == [
        ("defense", "Defense", criterion.id, "judge_internal") for criterion in case.rubric.criteria
    ]
    assert {e.message for e in report.errors} == {f"{UNEXPECTED} (OSError)."}
    assert len(scored(report)) == len(case.rubric.criteria)


def test_judges_that_raise_give_a_degraded_report_with_thirty_errors(case_and_inputs):
    case, inputs = case_and_inputs
    report = audit(case, inputs, HurtBench("answer"))
    assert (report.status, len(report.errors), scored(report)) == ("degraded", 30, set())


def test_collector_that_fails_gives_a_verdict_without_another_round(case_and_inputs):
    case, inputs = case_and_inputs
    report = audit(case, inputs, HurtBench("silent"))
    # No judge answered, and the collector finds no round.
    assert failures_of(report) == {("judge_collector", "node_failed")}
    assert report.status == "degraded"


def test_rehearing_that_fails_gives_the_verdict_of_the_first_round(case_and_inputs):
    class HurtAgain(HurtBench):
        @property
        def asks_all_at_once(self):
            self.part, hurt = "batch", self.part
            return super().asks_all_at_once if hurt == "batch" else False

    case, inputs = case_and_inputs
    report = audit(
        case, inputs, HurtAgain("later"), settings=BenchSettings(kind="llm", debate=True)
    )
    assert failures_of(report) == {("rehearing", "node_failed")}
    assert len(scored(report)) == len(case.rubric.criteria)


def _raise(self, state):
    raise OSError("cannot read /home/somebody/a-path")


class Reader(HeuristicBench):
    """Model that gives every criterion three points, first 1 and 5 where `is_split`."""

    def __init__(self, *, is_split):
        super().__init__()
        self.is_split = is_split

    @property
    def references(self):
        return ReadingBench().references

    async def answer(self, questions, read=None):
        first: dict[Persona, Score] = {"Prosecutor": 1, "Defense": 5, "TechLead": 3}

        def score_of(question: Question) -> Score:
            return first[question.persona] if self.is_split and question.round == 1 else 3

        return [
            Answer(
                opinion=make_opinion(
                    question,
                    score=score_of(question),
                    argument="So.",
                    cited=[item.id for item in question.evidence[:1]],
                    model="scripted",
                    key=self.key(question),
                )
            )
            for question in questions
        ]


@pytest.fixture(scope="module")
def audit_by_models(case_and_inputs, whole):
    case, inputs = case_and_inputs
    return partial(_audit_by_models, case, inputs, dossier_of(whole))


@pytest.fixture(scope="module")
def doubtful_check(case_and_inputs):
    """Id of a check of the second criterion."""
    return case_and_inputs[0].rubric.criteria[1].checks[0].id


@pytest.fixture(scope="module")
def heard_again(audit_by_models, doubtful_check):
    """The report of an audit in which nothing fails and a criterion has a second hearing."""
    return audit_by_models("", doubtful={doubtful_check})


def _audit_by_models(case, inputs, dossier, hurt, *, is_split=False, doubtful=()):
    """Audit with one node hurt; evidence of the `doubtful` checks may address the graders."""
    evidence = tuple(
        item.model_copy(update={"tags": (*item.tags, "integrity")})
        if item.check in doubtful
        else item
        for item in dossier.evidence
    )
    tagged = dossier.model_copy(update={"evidence": evidence})
    kind = type("HurtNodes", (AuditNodes,), {hurt: _raise} if hurt else {})
    nodes = kind(
        case=case,
        inputs=replace(inputs, repository=tagged),
        bench=Reader(is_split=is_split),
        slots=asyncio.Semaphore(30),
        settings=BenchSettings(kind="llm"),
    )
    state = asyncio.run(build_graph(nodes).ainvoke({}, config={"recursion_limit": 25}))
    return AuditReport.model_validate(state["report"])


@pytest.mark.parametrize(("hurt", "rounds"), [("start_rehearing", 2), ("next_round", 1)])
def test_rehearing_that_fails_gives_a_verdict_and_the_error(
    case_and_inputs, audit_by_models, hurt, rounds
):
    case, _ = case_and_inputs
    report = audit_by_models(hurt, is_split=True)
    assert failures_of(report) == {("rehearing", "node_failed")}
    assert (report.status, scored(report)) == ("verdict", {c.id for c in case.rubric.criteria})
    assert {row.round for c in report.criteria for row in c.opinions} == set(range(1, rounds + 1))


@pytest.mark.parametrize("hurt", ["start_second_hearing", "outcomes_round", "collect_opinions"])
def test_second_hearing_that_fails_never_lets_a_doubtful_score_stand(
    case_and_inputs, audit_by_models, doubtful_check, heard_again, hurt
):
    case, _ = case_and_inputs
    criterion = case.rubric.criteria[1]
    report = audit_by_models(hurt, doubtful={doubtful_check})

    stage = "judge_collector" if hurt == "collect_opinions" else "second_hearing"
    assert failures_of(report) == {(stage, "node_failed")}
    other_ids = {c.id for c in case.rubric.criteria} - {criterion.id}
    assert other_ids <= scored(report)
    if hurt == "start_second_hearing":
        # Only the flag is missing: the judges were asked again.
        assert (report.status, report.criteria) == (heard_again.status, heard_again.criteria)
        return
    (row,) = (c for c in report.criteria if c.id == criterion.id)
    assert (row.final_score, row.needs_review, row.second_hearing) == (None, True, ())
    assert "not asked again on the outcomes of the checks alone" in row.rationale
    assert report.status == "needs_review"


def test_chief_justice_that_fails_keeps_evidence_and_opinions(case_and_inputs, whole):
    case, inputs = case_and_inputs
    hurt = case.constitution.model_copy(update={"quorum": None})
    rules = tuple(r for r in hurt.rules if not isinstance(r, VarianceReEvaluation))
    report = audit(
        case.model_copy(update={"constitution": hurt.model_copy(update={"rules": rules})}), inputs
    )
    assert failures_of(report) == {("chief_justice", "node_failed")}
    assert (report.status, report.overall_score, scored(report)) == ("degraded", None, set())
    assert all(len(criterion.opinions) == 3 for criterion in report.criteria)
    assert {(c.needs_review, c.resolution) for c in report.criteria} == {(True, ("node_failed",))}
    assert report.evidence
    # The outcomes stay too, or a later audit would reuse evidence without them.
    assert dossier_of(report) == dossier_of(whole)


def test_fault_of_the_submission_still_ends_the_audit(case_and_inputs):
    class Refusing(HeuristicBench):
        async def answer(self, questions, read=None):
            raise InputRefused("rubric_guard_unavailable", "No packages for guards.")

    case, inputs = case_and_inputs
    with pytest.raises(InputRefused) as refused:
        audit(case, inputs, Refusing())
    assert refused.value.code == "rubric_guard_unavailable"


def test_cancellation_still_ends_the_audit(case_and_inputs):
    class Waiting(HeuristicBench):
        def __init__(self):
            super().__init__()
            self.is_asked = asyncio.Event()

        async def answer(self, questions, read=None):
            self.is_asked.set()
            await asyncio.Event().wait()
            return await super().answer(questions)

    async def is_cancelled():
        (case, inputs), bench = case_and_inputs, Waiting()
        nodes = AuditNodes(case=case, inputs=inputs, bench=bench, slots=asyncio.Semaphore(1))
        task = asyncio.ensure_future(build_graph(nodes).ainvoke({}))
        await bench.is_asked.wait()
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(is_cancelled())


def test_failed_judges_neither_stop_the_reuse_of_a_dossier_nor_enter_it(case_and_inputs):
    case, inputs = case_and_inputs
    report = audit(case, inputs, HurtBench("answer"))
    dossier = reusable_dossier(report, case, inputs.snapshot.commit, None)
    assert dossier == dossier_of(report)
    assert dossier is not None
    assert dossier.errors == ()
