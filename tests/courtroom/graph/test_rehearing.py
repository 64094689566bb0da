"""A scripted bench in the real graph: contested criteria are heard again, failures are never
scores.
"""

import asyncio
from typing import Any, cast

import pytest

from courtroom.graph.nodes import AuditNodes
from courtroom.graph.wiring import build_graph
from courtroom.inputs import InputReader
from courtroom.judges.opinion import Answer, Question, make_failure, make_opinion
from courtroom.models.record import PERSONAS, AuditReport, FailureKind, JudgeReference
from tests.factories.student_project import case_of, student_repository


class ScriptedBench:
    """Answers `script[persona]` by round; a word instead of a number is a failure of that kind."""

    def __init__(self, script: Any) -> None:
        self.script = script
        self.briefs: list[Question] = []

    @property
    def references(self):
        return {
            p: JudgeReference(kind="llm", model="scripted", prompt_digest="0") for p in PERSONAS
        }

    asks_all_at_once = False

    def shared_prompt(self, rubric, evidence, outcomes):
        return ""

    def key(self, brief):
        return brief.digest("scripted")

    async def answer(self, briefs):
        return [self.scripted_answer(brief) for brief in briefs]

    async def close(self):
        """Nothing is open."""

    def scripted_answer(self, brief):
        self.briefs.append(brief)
        answer: Any
        answer, key = self.script[brief.persona][brief.round - 1], self.key(brief)
        if isinstance(answer, str):
            return Answer(
                opinion=make_failure(
                    brief,
                    kind=cast("FailureKind", answer),
                    message="scripted",
                    model="scripted",
                    key=key,
                )
            )
        cited = [item.id for item in brief.evidence]
        return Answer(
            opinion=make_opinion(
                brief, score=answer, argument="So.", cited=cited, model="scripted", key=key
            )
        )


@pytest.fixture(scope="module")
def exhibits(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rehearing")
    case = case_of(student_repository(folder))
    return case, InputReader(case, folder / "work").wait()


def judged(exhibits, script):
    case, material = exhibits
    bench = ScriptedBench(dict(zip(PERSONAS, script, strict=True)))
    court = AuditNodes(case=case, inputs=material, bench=bench, slots=asyncio.Semaphore(30))
    state = asyncio.run(build_graph(court).ainvoke({}, config={"recursion_limit": 25}))
    return AuditReport.model_validate(state["report"]), bench


def test_a_spread_above_two_is_heard_again_once_and_both_rounds_stay_on_the_record(exhibits):
    report, bench = judged(exhibits, [(1, 2), (5, 4), (4, 4)])
    first = report.criteria[1]
    assert len(bench.briefs) == 60
    assert [(o.judge, o.round) for o in first.opinions] == [
        (p, r) for r in (1, 2) for p in PERSONAS
    ]


def test_judges_who_are_heard_again_are_shown_what_the_bench_said(exhibits):
    _, bench = judged(exhibits, [(1, 2), (5, 4), (4, 4)])
    again = [brief for brief in bench.briefs if brief.round == 2]
    assert {tuple(o.score for o in brief.earlier) for brief in again} == {(1, 5, 4)}


def test_a_spread_of_two_is_not_heard_again_but_its_dissent_is_explained(exhibits):
    report, bench = judged(exhibits, [(2,), (4,), (3,)])
    assert len(bench.briefs) == 30
    assert "Prosecutor" in report.criteria[1].dissent


def test_a_failed_judge_leaves_a_quorum_of_two(exhibits):
    report, _ = judged(exhibits, [("timeout",), (4,), (4,)])
    judged_by_two = report.criteria[1]
    assert [o.score for o in judged_by_two.opinions] == [None, 4, 4]
    assert (judged_by_two.final_score, judged_by_two.needs_review) == (4, False)


def test_below_the_quorum_there_is_no_score(exhibits):
    report, _ = judged(exhibits, [("timeout",), ("refusal",), (5,)])
    assert report.status != "verdict"
    assert {(c.final_score, c.needs_review) for c in report.criteria} == {(None, True)}


def test_the_order_of_completion_changes_no_byte(exhibits):
    class Slow(ScriptedBench):
        async def answer(self, briefs):
            await asyncio.sleep(
                {"Prosecutor": 0.02, "Defense": 0.01, "TechLead": 0}[briefs[0].persona]
            )
            return await super().answer(briefs)

    case, material = exhibits
    script = dict(zip(PERSONAS, [(2,), (4,), (3,)], strict=True))
    digests = []
    for kind in (ScriptedBench, Slow):
        court = AuditNodes(
            case=case, inputs=material, bench=kind(script), slots=asyncio.Semaphore(7)
        )
        digests.append(asyncio.run(build_graph(court).ainvoke({}))["report"]["digest"])
    assert digests[0] == digests[1]


def test_every_opinion_is_told_while_others_are_still_awaited(exhibits):
    """Ten of thirty answer within two turns of the event loop; the others only when those ten were
    told.
    """

    class Held(ScriptedBench):
        heard = 0
        asked, told = asyncio.Event(), asyncio.Event()

        async def answer(self, briefs):
            self.heard += 1
            if self.heard == 30:
                self.asked.set()
            late = self.heard % 2
            await (self.asked if briefs[0].persona == "Prosecutor" else self.told).wait()
            if late:
                await asyncio.sleep(0)
            return await super().answer(briefs)

    case, material = exhibits
    bench = Held(dict.fromkeys(PERSONAS, (3,)))
    court = AuditNodes(case=case, inputs=material, bench=bench, slots=asyncio.Semaphore(30))

    async def told() -> int:
        told = 0
        async with asyncio.timeout(20):
            async for task in build_graph(court).astream({}, stream_mode="tasks"):
                told += task["name"] == "prosecutor" and "result" in task
                if told == 10:
                    bench.told.set()
        return told

    assert asyncio.run(told()) == 10
