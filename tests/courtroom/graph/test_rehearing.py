"""Scripted bench in the real graph: second rounds of disputed criteria, and failed judges."""

import asyncio
import re
from dataclasses import replace
from typing import Any, cast

import pytest

from courtroom.graph.nodes import AuditNodes
from courtroom.graph.wiring import build_graph
from courtroom.inputs import InputReader
from courtroom.judges.opinion import Answer, Question, make_failure, make_opinion
from courtroom.models.audit_report import AuditReport, JudgeReference
from courtroom.models.judge_answer import PERSONAS, FailureKind
from courtroom.replay.report_reuse import dossier_of
from courtroom.replay.resynthesis import resynthesise
from tests.factories.student_project import case_of, student_repository


class ScriptedBench:
    """Bench that answers `script[persona]` by round; a word is a failure of that kind."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.questions: list[Question] = []

    @property
    def references(self):
        return {
            p: JudgeReference(kind="llm", model="scripted", prompt_digest="0") for p in PERSONAS
        }

    asks_all_at_once = False

    def key(self, question):
        return question.digest("scripted")

    async def answer(self, questions, read=None):
        return [self.scripted_answer(question) for question in questions]

    async def close(self):
        """Nothing is open."""

    def scripted_answer(self, question):
        self.questions.append(question)
        answer: Any
        answer, key = self.script[question.persona][question.round - 1], self.key(question)
        if isinstance(answer, str):
            return Answer(
                opinion=make_failure(
                    question,
                    kind=cast("FailureKind", answer),
                    message="scripted",
                    model="scripted",
                    key=key,
                )
            )

        cited = [item.id for item in question.evidence]
        return Answer(
            opinion=make_opinion(
                question, score=answer, argument="So.", cited=cited, model="scripted", key=key
            )
        )


@pytest.fixture(scope="module")
def case_and_inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rehearing")
    case = case_of(student_repository(folder))
    return case, InputReader(case, folder / "work").wait()


def judged(case_and_inputs, script):
    case, inputs = case_and_inputs
    bench = ScriptedBench(dict(zip(PERSONAS, script, strict=True)))
    nodes = AuditNodes(case=case, inputs=inputs, bench=bench, slots=asyncio.Semaphore(30))
    state = asyncio.run(build_graph(nodes).ainvoke({}, config={"recursion_limit": 25}))
    return AuditReport.model_validate(state["report"]), bench


def test_spread_above_two_gets_one_second_round_and_both_stay_recorded(case_and_inputs):
    report, bench = judged(case_and_inputs, [(1, 2), (5, 4), (4, 4)])
    first = report.criteria[1]
    assert len(bench.questions) == 60
    assert [(o.judge, o.round) for o in first.opinions] == [
        (p, r) for r in (1, 2) for p in PERSONAS
    ]


def test_second_round_shows_the_earlier_opinions(case_and_inputs):
    _, bench = judged(case_and_inputs, [(1, 2), (5, 4), (4, 4)])
    again = [question for question in bench.questions if question.round == 2]
    assert {tuple(o.score for o in question.earlier) for question in again} == {(1, 5, 4)}


def test_spread_of_two_gets_no_second_round_but_a_dissent(case_and_inputs):
    report, bench = judged(case_and_inputs, [(2,), (4,), (3,)])
    assert len(bench.questions) == 30
    assert "Prosecutor" in report.criteria[1].dissent


def test_failed_judge_leaves_a_quorum_of_two(case_and_inputs):
    report, _ = judged(case_and_inputs, [("timeout",), (4,), (4,)])
    judged_by_two = report.criteria[1]
    assert [o.score for o in judged_by_two.opinions] == [None, 4, 4]
    assert (judged_by_two.final_score, judged_by_two.needs_review) == (4, False)


def test_no_score_below_the_quorum(case_and_inputs):
    report, _ = judged(case_and_inputs, [("timeout",), ("refusal",), (5,)])
    assert report.status != "verdict"
    assert {(c.final_score, c.needs_review) for c in report.criteria} == {(None, True)}


def test_order_of_completion_changes_no_byte(case_and_inputs):
    class Slow(ScriptedBench):
        async def answer(self, questions, read=None):
            await asyncio.sleep(
                {"Prosecutor": 0.02, "Defense": 0.01, "TechLead": 0}[questions[0].persona]
            )
            return await super().answer(questions)

    case, inputs = case_and_inputs
    script = dict(zip(PERSONAS, [(2,), (4,), (3,)], strict=True))
    digests = []

    for kind in (ScriptedBench, Slow):
        nodes = AuditNodes(case=case, inputs=inputs, bench=kind(script), slots=asyncio.Semaphore(7))
        digests.append(asyncio.run(build_graph(nodes).ainvoke({}))["report"]["digest"])

    assert digests[0] == digests[1]


def test_opinions_are_streamed_while_others_are_pending(case_and_inputs):
    """Ten of thirty judges answer within two turns of the event loop, the rest only after those."""

    class Held(ScriptedBench):
        calls = 0
        all_asked, ten_streamed = asyncio.Event(), asyncio.Event()

        async def answer(self, questions, read=None):
            self.calls += 1
            if self.calls == 30:
                self.all_asked.set()

            late = self.calls % 2
            await (
                self.all_asked if questions[0].persona == "Prosecutor" else self.ten_streamed
            ).wait()
            if late:
                await asyncio.sleep(0)

            return await super().answer(questions)

    case, inputs = case_and_inputs
    bench = Held(dict.fromkeys(PERSONAS, (3,)))
    nodes = AuditNodes(case=case, inputs=inputs, bench=bench, slots=asyncio.Semaphore(30))

    async def streamed_opinions() -> int:
        count = 0
        async with asyncio.timeout(20):
            async for task in build_graph(nodes).astream({}, stream_mode="tasks"):
                count += task["name"] == "prosecutor" and "result" in task
                if count == 10:
                    bench.ten_streamed.set()
        return count

    assert asyncio.run(streamed_opinions()) == 10


class Believer(ScriptedBench):
    """Bench of 4s that on outcomes alone gives what its script says; keeps what it was shown."""

    def scripted_answer(self, question):
        if question.round:
            return super().scripted_answer(question)
        self.questions.append(question)
        return Answer(
            opinion=make_opinion(
                question,
                score=self.script["alone"],
                argument="So.",
                cited=[item.id for item in question.evidence],
                model="scripted",
                key=self.key(question),
            )
        )


def believed(case_and_inputs, alone, *, tagged):
    """Judge the same work, with the evidence of one criterion tagged as a possible injection."""
    case, inputs = case_and_inputs
    heuristic, _ = judged(case_and_inputs, [(3,), (3,), (3,)])
    dossier = dossier_of(heuristic)
    check = case.rubric.criteria[1].checks[0].id
    evidence = tuple(
        item.model_copy(update={"tags": (*item.tags, "integrity")})
        if tagged and item.check == check
        else item
        for item in dossier.evidence
    )
    again = replace(inputs, repository=dossier.model_copy(update={"evidence": evidence}))
    bench = Believer({**dict.fromkeys(PERSONAS, (4,)), "alone": alone})
    nodes = AuditNodes(case=case, inputs=again, bench=bench, slots=asyncio.Semaphore(30))
    state = asyncio.run(build_graph(nodes).ainvoke({}, config={"recursion_limit": 25}))
    return AuditReport.model_validate(state["report"]), bench


def test_audit_without_suspicion_asks_thirty_times(case_and_inputs):
    _, bench = believed(case_and_inputs, 1, tagged=False)
    assert len(bench.questions) == 30


def test_suspicious_criterion_is_heard_again_on_outcomes_alone(case_and_inputs):
    report, bench = believed(case_and_inputs, 2, tagged=True)
    alone = [question for question in bench.questions if question.round == 0]
    criterion = report.criteria[1]
    assert len(bench.questions) == 33
    assert {question.criterion.id for question in alone} == {criterion.id}
    assert (criterion.final_score, criterion.needs_review) == (None, True)
    assert [row.round for row in criterion.second_hearing] == [0, 0, 0]


def test_second_hearing_shows_no_word_of_the_submission(case_and_inputs):
    _, bench = believed(case_and_inputs, 4, tagged=True)
    (material,) = {question.material for question in bench.questions if question.round == 0}
    prompt = material.text
    assert "“" not in prompt
    assert "src/" not in prompt
    # Ids of evidence are digests, in which the letters may stand as well.
    assert re.search(r"\bf1\b", prompt) is None
    assert (material.files, material.sheets) == ((), ())


def test_stored_second_hearing_gives_the_same_verdict_again(case_and_inputs):
    report, _ = believed(case_and_inputs, 2, tagged=True)
    case, _ = case_and_inputs
    assert resynthesise(report, case.rubric, case.constitution).criteria == report.criteria
