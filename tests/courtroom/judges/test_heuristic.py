import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from courtroom.judges.heuristic import HeuristicBench
from courtroom.models.judge_answer import PERSONAS, JudgeFailure, JudicialOpinion
from tests.courtroom.judges.questions import check, make_evidence, make_question

BENCH = HeuristicBench()


def opinion_of(question):
    return asyncio.run(BENCH.answer([question]))[0].opinion


def scores(met, unmet, **more):
    return [opinion_of(make_question(persona, met, unmet, **more)).score for persona in PERSONAS]


@pytest.mark.parametrize(
    ("met", "unmet", "expected"),
    [
        ("abcd", "", [5, 5, 5]),
        ("abc", "d", [3, 5, 4]),
        ("ab", "cd", [2, 4, 3]),
        ("a", "bcd", [1, 3, 2]),
        ("", "abcd", [1, 1, 1]),
    ],
)
def test_scores_follow_the_weighted_share_of_met_checks_per_persona(met, unmet, expected):
    assert scores(tuple(met), tuple(unmet)) == expected


def test_prosecutor_and_tech_lead_give_five_only_when_all_checks_are_met():
    tiny = [check("tiny", weight=0.01)]
    assert scores(("a", "b"), ("tiny",), checks=tiny) == [4, 5, 4]


def test_criterion_without_checks_is_not_judged():
    answer = opinion_of(make_question("TechLead"))
    assert isinstance(answer, JudgeFailure)
    assert (answer.failure, "no checks" in answer.message) == ("abstained", True)


def test_mostly_unestablished_criterion_is_not_judged_with_a_reason():
    answer = opinion_of(make_question("Defense", met=("a",), unknown=("b", "c")))
    assert isinstance(answer, JudgeFailure)
    assert "could not look" in answer.message


def test_unestablished_check_lowers_no_score():
    assert scores(("a", "b"), (), unknown=("c",)) == scores(("a", "b"), ())


def test_missing_essential_check_limits_prosecutor_and_tech_lead_to_three():
    essential = [check("core", essential=True, weight=0.1)]
    assert scores(("a", "b", "c"), ("core",), checks=essential) == [3, 5, 3]


def test_security_evidence_limits_the_prosecutor_to_three():
    flaw = make_evidence("hole", tags=("security",))
    assert scores(("a", "b"), (), extra_evidence=(flaw,)) == [3, 5, 5]


def test_absent_flaw_is_no_security_evidence():
    absent = make_evidence("hole", found=False, tags=("security",))
    assert scores(("a", "b"), (), extra_evidence=(absent,)) == [5, 5, 5]


def test_defense_gives_at_least_three_when_effort_is_met():
    assert (
        scores(("tried",), tuple("abcdef"), checks=[check("tried", effort=True, weight=0.1)])[1]
        == 3
    )


def test_second_round_narrows_the_spread():
    first, second = (
        scores(tuple("ab"), tuple("cd")),
        scores(tuple("ab"), tuple("cd"), round_number=2),
    )
    assert (max(first) - min(first), max(second) - min(second)) == (2, 1)


def test_judge_cites_only_evidence_of_the_question():
    question = make_question("Prosecutor", ("a",), ("b",))
    answer = opinion_of(question)
    assert isinstance(answer, JudicialOpinion)
    assert answer.cited_evidence == tuple(item.id for item in reversed(question.evidence))


def test_same_question_gives_same_bytes_and_other_question_other_key():
    first, again = (
        opinion_of(make_question("Defense", ("a",), ("b",))),
        opinion_of(make_question("Defense", ("a",), ("b",))),
    )
    other = opinion_of(make_question("Defense", ("b",), ("a",)))
    assert json.dumps(first.model_dump()) == json.dumps(again.model_dump())
    assert first.key != other.key


@given(met=st.integers(0, 6), unmet=st.integers(0, 6))
def test_tech_lead_score_lies_between_prosecutor_and_defense(met, unmet):
    if met + unmet:
        prosecutor, defense, tech_lead = scores(
            tuple(f"m{i}" for i in range(met)), tuple(f"u{i}" for i in range(unmet))
        )
        assert prosecutor <= tech_lead <= defense


def test_tech_lead_gives_one_when_no_check_is_met():
    lead = opinion_of(make_question("TechLead", (), ("a", "b")))
    assert (lead.score, lead.argument) == (
        1,
        "Nothing of it exists: goal of a; goal of b. Score 1.",
    )
