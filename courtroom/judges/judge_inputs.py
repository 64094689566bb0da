"""Select what one judge is shown on one criterion, the same way for every bench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from courtroom.analysis.prompt_injection.detection import has_injection
from courtroom.judges.opinion import Question
from courtroom.judges.shared_prompt import INTEGRITY_TAG
from courtroom.judges.submitted_text import paths_in
from courtroom.models.evidence import CheckOutcome, Evidence, Location
from courtroom.models.judge_answer import (
    OUTCOMES_ROUND,
    JudgeFailure,
    JudicialOpinion,
    Persona,
)
from courtroom.models.rubric import Criterion

JudgeAnswer = JudicialOpinion | JudgeFailure


def question_for(
    persona: Persona,
    criterion: Criterion,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    round_number: int,
    earlier: Sequence[JudgeAnswer],
    shared_prompt: str = "",
) -> Question:
    """Return the question to one judge.

    It holds the criterion's own evidence and outcomes, and the passages of the PDF that bear on
    it; a criterion without checks gets all evidence. `round_number` starts at 1; of `earlier`
    answers a judge sees the opinions of the round before.
    """
    check_ids = {check.id for check in criterion.checks}
    own_outcomes = tuple(outcome for outcome in outcomes if outcome.check in check_ids)
    cited_ids = {evidence_id for outcome in own_outcomes for evidence_id in outcome.evidence}
    return Question(
        persona=persona,
        criterion=criterion,
        evidence=tuple(
            item
            for item in evidence
            if item.id in cited_ids or item.check == criterion.passages or not criterion.checks
        ),
        outcomes=own_outcomes,
        round=round_number,
        earlier=tuple(
            answer for answer in earlier if _is_of_last_round(answer, criterion, round_number)
        ),
        shared_prompt=shared_prompt,
        files=paths_in(evidence) if shared_prompt else (),
    )


def is_doubtful(
    criterion: Criterion, evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
) -> bool:
    """Return whether text of this criterion may address the graders, and outcomes can be heard."""
    question = question_for("TechLead", criterion, evidence, outcomes, OUTCOMES_ROUND, ())
    has_outcomes = any(outcome.met is not None for outcome in question.outcomes)
    return has_outcomes and (
        any(INTEGRITY_TAG in item.tags for item in question.evidence)
        or any(has_injection(outcome.reason) for outcome in question.outcomes)
    )


def without_words(
    criteria: Sequence[Criterion], evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...]]:
    """Return evidence and outcomes of these criteria's checks without a word of the submission."""
    check_ids = {check.id for criterion in criteria for check in criterion.checks}
    bare = {"content": None, "location": Location(), "rationale": "", "tags": ()}
    return (
        tuple(item.model_copy(update=bare) for item in evidence if item.check in check_ids),
        tuple(
            outcome.model_copy(update={"reason": ""})
            for outcome in outcomes
            if outcome.check in check_ids
        ),
    )


def _is_of_last_round(
    answer: JudgeAnswer, criterion: Criterion, round_number: int
) -> TypeGuard[JudicialOpinion]:
    place = (answer.criterion_id, answer.round)
    return isinstance(answer, JudicialOpinion) and place == (criterion.id, round_number - 1)
