"""Select what one judge is shown on one criterion, the same way for every bench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from courtroom.analysis.prompt_injection.detection import has_injection
from courtroom.judges.material import Material
from courtroom.judges.opinion import Question
from courtroom.models.evidence import INTEGRITY_TAG, CheckOutcome, Evidence, Location
from courtroom.models.judge_answer import (
    OUTCOMES_ROUND,
    JudgeFailure,
    JudicialOpinion,
    Persona,
)
from courtroom.models.rubric import Criterion

JudgeAnswer = JudicialOpinion | JudgeFailure
NO_MATERIAL = Material()


def question_for(
    persona: Persona,
    criterion: Criterion,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    round_number: int,
    earlier: Sequence[JudgeAnswer],
    material: Material = NO_MATERIAL,
    *,
    may_ask: bool = False,
) -> Question:
    """Return the question to one judge.

    It holds the criterion's own evidence and outcomes. `round_number` starts at 1; of `earlier`
    answers a judge sees the opinions of the round before.
    """
    own_outcomes = outcomes_on(criterion, outcomes)
    return Question(
        persona=persona,
        criterion=criterion,
        evidence=evidence_on(criterion, evidence, own_outcomes),
        outcomes=own_outcomes,
        round=round_number,
        earlier=tuple(
            answer for answer in earlier if _is_of_last_round(answer, criterion, round_number)
        ),
        material=material,
        may_ask=may_ask,
    )


def outcomes_on(criterion: Criterion, outcomes: Sequence[CheckOutcome]) -> tuple[CheckOutcome, ...]:
    check_ids = {check.id for check in criterion.checks}
    return tuple(outcome for outcome in outcomes if outcome.check in check_ids)


def evidence_on(
    criterion: Criterion, evidence: Sequence[Evidence], own_outcomes: Sequence[CheckOutcome]
) -> tuple[Evidence, ...]:
    """Return the evidence of the criterion's outcomes, and the passages of the PDF on it.

    A criterion without checks gets all evidence.
    """
    ids = {evidence_id for outcome in own_outcomes for evidence_id in outcome.evidence}
    return tuple(
        item
        for item in evidence
        if item.id in ids or item.check == criterion.passages or not criterion.checks
    )


def is_doubtful(
    criterion: Criterion, evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
) -> bool:
    """Return whether text of this criterion may address the graders, and outcomes can be heard."""
    question = question_for("TechLead", criterion, evidence, outcomes, OUTCOMES_ROUND, ())
    has_outcomes = any(outcome.is_established for outcome in question.outcomes)
    return has_outcomes and (
        any(INTEGRITY_TAG in item.tags for item in question.evidence)
        or any(has_injection(outcome.reason) for outcome in question.outcomes)
    )


def without_words(
    criteria: Sequence[Criterion], evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...]]:
    """Return evidence and outcomes of these criteria's checks without a word of the submission."""
    check_ids = {check.id for criterion in criteria for check in criterion.checks}
    own = [outcome for outcome in outcomes if outcome.check in check_ids]
    subjects = check_ids | {o.not_applicable.code for o in own if o.not_applicable}
    bare = {"content": None, "location": Location(), "rationale": "", "tags": ()}
    return (
        tuple(item.model_copy(update=bare) for item in evidence if item.check in subjects),
        tuple(map(_without_words, own)),
    )


def _without_words(outcome: CheckOutcome) -> CheckOutcome:
    cause = outcome.not_applicable
    bare = {"reason": "", "not_applicable": cause and cause.without_place}
    return outcome.model_copy(update=bare)


def _is_of_last_round(
    answer: JudgeAnswer, criterion: Criterion, round_number: int
) -> TypeGuard[JudicialOpinion]:
    place = (answer.criterion_id, answer.round)
    return isinstance(answer, JudicialOpinion) and place == (criterion.id, round_number - 1)
