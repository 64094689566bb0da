"""Scores at the edges of the shipped self-audit: everything there, nothing there, the heart gone."""

import pytest

from courtroom.models.evidence import CheckOutcome, Location, evidence
from courtroom.models.facts import Facts
from courtroom.replay.rubric_preview import answers_again
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.chief_justice import synthesise
from courtroom.synthesis.constitutions import constitution_of

RUBRIC = shipped_rubric("self_audit")
CRITERIA = [pytest.param(criterion, id=criterion.id) for criterion in RUBRIC.criteria]
WITH_A_HEART = [
    pytest.param(criterion, id=criterion.id)
    for criterion in RUBRIC.criteria
    if sum(check.essential and check.is_positive for check in criterion.checks) > 1
]


def always(check):
    return bool(check)


def never(check):
    return not check


def elsewhere():
    """Return evidence of another criterion: without any, a person decides."""
    return evidence(
        detective="RepoInvestigator",
        check="elsewhere",
        goal="something is there",
        found=True,
        rationale="it is there",
        location=Location(path="elsewhere.py"),
    )


def score_of(criterion, met):
    """Return the final score of a work that meets the checks for which `met` is true."""
    items = [
        evidence(
            detective="RepoInvestigator",
            check=check.id,
            goal=check.goal,
            found=met(check) == check.is_positive,
            rationale="looked for it",
            location=Location(path=f"{check.id}.py"),
            tags=check.tags,
        )
        for check in criterion.checks
    ]
    outcomes = [
        CheckOutcome(check=check.id, met=met(check), reason="", evidence=(item.id,))
        for check, item in zip(criterion.checks, items, strict=True)
    ]
    items.append(elsewhere())
    part = RUBRIC.model_copy(update={"criteria": (criterion,)})
    constitution, facts = constitution_of(RUBRIC), Facts.model_validate({})
    opinions = answers_again(
        part, part.criteria, constitution, tuple(items), tuple(outcomes), facts
    )
    verdict = synthesise(
        rubric=part,
        constitution=constitution,
        evidence=items,
        outcomes=outcomes,
        facts=facts,
        opinions=opinions,
    )
    return verdict.criteria[0].final_score


@pytest.mark.parametrize("criterion", CRITERIA)
def test_work_that_meets_every_check_gets_five(criterion):
    assert score_of(criterion, always) == 5


@pytest.mark.parametrize("criterion", CRITERIA)
def test_work_without_anything_gets_at_most_two(criterion):
    assert score_of(criterion, never) == 1
    # In an empty work there is no flaw either.
    assert score_of(criterion, lambda check: not check.is_positive) <= 2


@pytest.mark.parametrize("criterion", WITH_A_HEART)
def test_work_without_any_essential_part_gets_at_most_two(criterion):
    unessential = score_of(criterion, lambda check: not (check.essential and check.is_positive))
    assert unessential <= 2


@pytest.mark.parametrize("criterion", CRITERIA)
def test_flaw_costs_a_work_that_has_everything_at_least_a_point(criterion):
    for flaw in (check for check in criterion.checks if not check.is_positive):
        assert score_of(criterion, lambda check, flaw=flaw: check is not flaw) <= 4, flaw.id
