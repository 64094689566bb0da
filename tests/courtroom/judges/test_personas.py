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


def score(persona, met, unmet, **more):
    opinion = asyncio.run(HeuristicBench().answer([make_question(persona, met, unmet, **more)]))[
        0
    ].opinion
    assert isinstance(opinion, JudicialOpinion)
    return opinion.score


def split(count):
    return NAMES[:count], NAMES[count:]


PARTIAL = [(met, of) for of in range(2, 13) for met in range(1, of)]
SIDES = [check("gap", concern="risk"), check("merit", concern="effort")]


@pytest.mark.parametrize(("met", "of"), PARTIAL)
def test_judges_of_checks_of_one_concern_differ_by_one_at_most(met, of):
    names = [f"k{number}" for number in range(of)]
    given = [score(persona, names[:met], names[met:]) for persona in PERSONAS]
    assert max(given) - min(given) <= 1


@pytest.mark.parametrize(("met", "unmet"), list(product(range(6), repeat=2)))
def test_second_round_ends_within_two_points_with_the_tech_leads_score(met, unmet):
    names = [f"k{number}" for number in range(met + unmet)]
    prosecutor, defense, tech_lead = (
        score(
            persona,
            [*names[:met], "merit"],
            [*names[met:], "gap"],
            checks=SIDES,
            round_number=2,
        )
        for persona in PERSONAS
    )
    mean = (prosecutor + defense + 2 * tech_lead) / 4
    assert (defense - prosecutor <= 2, floor(mean + 0.5)) == (True, tech_lead)


@pytest.mark.parametrize(("count", "round_number"), list(product(range(7), (1, 2))))
def test_prosecutor_gives_at_most_three_with_confirmed_security_evidence(count, round_number):
    assert (
        score("Prosecutor", *split(count), round_number=round_number, extra_evidence=(SECURITY,))
        <= 3
    )
