import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from courtroom.judges.heuristic import HeuristicBench
from courtroom.models.record import PERSONAS, JudgeFailure, JudicialOpinion
from tests.courtroom.judges.briefs import brief, check, seen

BENCH = HeuristicBench()


def opinion_of(question):
    return asyncio.run(BENCH.answer([question]))[0].opinion


def scores(met, unmet, **more):
    return [opinion_of(brief(persona, met, unmet, **more)).score for persona in PERSONAS]


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
def test_scores_follow_the_share_of_met_checks_as_each_persona_weighs_it(met, unmet, expected):
    assert scores(tuple(met), tuple(unmet)) == expected


def test_only_everything_met_gives_a_five_from_prosecutor_and_tech_lead():
    tiny = [check("tiny", weight=0.01)]
    assert scores(("a", "b"), ("tiny",), checks=tiny) == [4, 5, 4]


def test_a_criterion_without_checks_is_not_judged():
    answer = opinion_of(brief("TechLead"))
    assert isinstance(answer, JudgeFailure)
    assert (answer.failure, "no checks" in answer.message) == ("abstained", True)


def test_a_criterion_that_is_mostly_not_established_is_not_judged_and_says_why():
    answer = opinion_of(brief("Defense", met=("a",), unknown=("b", "c")))
    assert isinstance(answer, JudgeFailure)
    assert "could not look" in answer.message


def test_what_is_not_established_lowers_no_score():
    assert scores(("a", "b"), (), unknown=("c",)) == scores(("a", "b"), ())


def test_a_missing_essential_holds_prosecutor_and_tech_lead_at_three():
    essential = [check("core", essential=True, weight=0.1)]
    assert scores(("a", "b", "c"), ("core",), checks=essential) == [3, 5, 3]


def test_security_evidence_holds_the_prosecutor_at_three():
    found = seen("hole", tags=("security",))
    assert scores(("a", "b"), (), extra_evidence=(found,)) == [3, 5, 5]


def test_looked_for_and_not_found_is_no_security_evidence():
    absent = seen("hole", found=False, tags=("security",))
    assert scores(("a", "b"), (), extra_evidence=(absent,)) == [5, 5, 5]


def test_the_defense_never_falls_below_three_where_effort_is_evident():
    assert (
        scores(("tried",), tuple("abcdef"), checks=[check("tried", effort=True, weight=0.1)])[1]
        == 3
    )


def test_a_second_hearing_brings_the_bench_together():
    first, second = scores(tuple("ab"), tuple("cd")), scores(tuple("ab"), tuple("cd"), hearing=2)
    assert (max(first) - min(first), max(second) - min(second)) == (2, 1)


def test_every_judge_cites_only_what_it_was_shown():
    question = brief("Prosecutor", ("a",), ("b",))
    answer = opinion_of(question)
    assert isinstance(answer, JudicialOpinion)
    assert answer.cited_evidence == tuple(item.id for item in reversed(question.evidence))


def test_the_same_brief_gives_the_same_bytes_and_another_brief_another_key():
    one, again = (
        opinion_of(brief("Defense", ("a",), ("b",))),
        opinion_of(brief("Defense", ("a",), ("b",))),
    )
    other = opinion_of(brief("Defense", ("b",), ("a",)))
    assert json.dumps(one.model_dump()) == json.dumps(again.model_dump())
    assert one.key != other.key


@given(met=st.integers(0, 6), unmet=st.integers(0, 6))
def test_the_defense_is_never_below_nor_the_prosecutor_above_the_tech_lead(met, unmet):
    if met + unmet:
        prosecutor, defense, tech_lead = scores(
            tuple(f"m{i}" for i in range(met)), tuple(f"u{i}" for i in range(unmet))
        )
        assert prosecutor <= tech_lead <= defense


def test_where_nothing_holds_the_tech_lead_finds_no_substance():
    lead = opinion_of(brief("TechLead", (), ("a", "b")))
    assert (lead.score, lead.argument) == (
        1,
        "Nothing of it exists: goal of a; goal of b. Score 1.",
    )
