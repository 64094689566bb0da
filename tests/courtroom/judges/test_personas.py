"""Three personas on one bench: what sets them apart on ambiguous evidence, and the bounds they
keep.
"""

import asyncio
from itertools import product
from math import floor

import pytest

from courtroom.judges.heuristic import HeuristicBench
from courtroom.models.record import PERSONAS, JudicialOpinion
from tests.courtroom.judges.briefs import brief, check, seen

NAMES = ("a", "b", "c", "d", "e", "f")
SECURITY = seen("shell", tags=("security",))
EFFORT = check("a", effort=True)


def score(persona, met, unmet, **more):
    opinion = asyncio.run(HeuristicBench().answer([brief(persona, met, unmet, **more)]))[0].opinion
    assert isinstance(opinion, JudicialOpinion)
    return opinion.score


def split(count):
    return NAMES[:count], NAMES[count:]


AMBIGUOUS = [(m, n) for n in range(2, 13) for m in range(n + 1) if n <= 3 * m <= 2 * n]


@pytest.mark.parametrize(("met", "of"), AMBIGUOUS)
def test_where_a_third_to_two_thirds_hold_the_bench_spreads_by_two_around_the_tech_lead(met, of):
    names = [f"k{number}" for number in range(of)]
    prosecutor, defense, tech_lead = (
        score(persona, names[:met], names[met:]) for persona in PERSONAS
    )
    mean = (prosecutor + defense + 2 * tech_lead) / 4
    assert (defense - prosecutor, floor(mean + 0.5)) == (2, tech_lead)


@pytest.mark.parametrize(("count", "hearing"), list(product(range(7), (1, 2))))
def test_with_confirmed_security_evidence_the_prosecutor_never_exceeds_three(count, hearing):
    assert score("Prosecutor", *split(count), hearing=hearing, extra_evidence=(SECURITY,)) <= 3


@pytest.mark.parametrize(("count", "hearing"), list(product(range(1, 7), (1, 2))))
def test_where_effort_is_evident_the_defense_never_falls_below_three(count, hearing):
    assert score("Defense", *split(count), hearing=hearing, checks=[EFFORT]) >= 3
