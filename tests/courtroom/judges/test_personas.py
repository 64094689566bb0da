"""Differences of the three personas on ambiguous evidence, and the limits they keep."""

import asyncio
from itertools import product
from math import floor

import pytest

from courtroom.judges.heuristic import HeuristicBench
from courtroom.models.judge_answer import PERSONAS, JudicialOpinion
from tests.courtroom.judges.questions import check, make_evidence, make_question

NAMES = ("a", "b", "c", "d", "e", "f")
SECURITY = make_evidence("shell", tags=("security",))
EFFORT = check("a", effort=True)


def score(persona, met, unmet, **more):
    opinion = asyncio.run(HeuristicBench().answer([make_question(persona, met, unmet, **more)]))[
        0
    ].opinion
    assert isinstance(opinion, JudicialOpinion)
    return opinion.score


def split(count):
    return NAMES[:count], NAMES[count:]


AMBIGUOUS = [(m, n) for n in range(2, 13) for m in range(n + 1) if n <= 3 * m <= 2 * n]


@pytest.mark.parametrize(("met", "of"), AMBIGUOUS)
def test_ambiguous_evidence_spreads_the_bench_by_two_around_the_tech_lead(met, of):
    names = [f"k{number}" for number in range(of)]
    prosecutor, defense, tech_lead = (
        score(persona, names[:met], names[met:]) for persona in PERSONAS
    )
    mean = (prosecutor + defense + 2 * tech_lead) / 4
    assert (defense - prosecutor, floor(mean + 0.5)) == (2, tech_lead)


@pytest.mark.parametrize(("count", "round_number"), list(product(range(7), (1, 2))))
def test_prosecutor_gives_at_most_three_with_confirmed_security_evidence(count, round_number):
    assert (
        score("Prosecutor", *split(count), round_number=round_number, extra_evidence=(SECURITY,))
        <= 3
    )


@pytest.mark.parametrize(("count", "round_number"), list(product(range(1, 7), (1, 2))))
def test_defense_gives_at_least_three_where_effort_is_evident(count, round_number):
    assert score("Defense", *split(count), round_number=round_number, checks=[EFFORT]) >= 3
