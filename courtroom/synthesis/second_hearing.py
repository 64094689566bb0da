"""Second hearing: where a criterion's text may address the graders, the judges answer once more.

They see the outcomes of the checks and no word of the submission. Their answers decide nothing:
they tell whether the first ones can stand.
"""

from __future__ import annotations

from dataclasses import dataclass

from courtroom.models.audit_report import RuleFired, RuleStep
from courtroom.models.evidence import INTEGRITY_TAG
from courtroom.models.judge_answer import OUTCOMES_ROUND
from courtroom.synthesis.opinions import CriterionAnswers, list_scores
from courtroom.synthesis.ruling_context import NO_SCORE, RulingContext

RULE = "second_hearing"
MOST_APART = 1
BEGIN = "Text near this criterion may address the graders"


@dataclass(frozen=True, slots=True)
class Hearing:
    """Effect of the second hearing, or of the lack of one: `after` is None where a person decides."""

    effect: RuleFired
    step: RuleStep


def is_missing(context: RulingContext) -> bool:
    """Return whether models read doubtful text and were not asked again on outcomes alone.

    No outcome is known, or a step of the audit failed. Of a criterion without checks they read all
    evidence.
    """
    checks, dossier = context.criterion.checks, context.dossier
    read = context.evidence_items if checks else tuple(dossier.evidence.values())
    return (
        not context.answers.on_outcomes
        and any(opinion.is_by_model for opinion in context.opinions.values())
        and any(INTEGRITY_TAG in item.tags for item in read)
    )


def undoubted(context: RulingContext, score: int) -> tuple[RuleStep, ...]:
    """Return the step where models read no doubtful text; () where no model judged."""
    if not any(opinion.is_by_model for opinion in context.opinions.values()):
        return ()
    read = "no text near this criterion may address the graders"
    return (RuleStep(rule=RULE, fired=False, input=read, output=f"{score} stands"),)


def unconfirmed(context: RulingContext, score: int) -> Hearing:
    """Return the rule that leaves the score to a person because nothing confirms it."""
    outcomes = (context.dossier.outcomes.get(check.id) for check in context.criterion.checks)
    missing = (
        "the judges were not asked again on the outcomes of the checks alone"
        if any(outcome and outcome.is_established for outcome in outcomes)
        else "no outcome of a check is known on which the judges could answer again"
    )
    read = f"{BEGIN}, and {missing} to confirm {score}"
    return _hearing(score, None, f"{read}: a person decides.", read)


def as_first_round(answers: CriterionAnswers) -> CriterionAnswers:
    """Return the answers on outcomes alone, as if they were the only ones."""
    return CriterionAnswers(
        tuple(
            answer.model_copy(update={"round": OUTCOMES_ROUND + 1})
            for answer in answers.on_outcomes
        )
    )


def compare(score: int, on_outcomes: int | None, answers: CriterionAnswers) -> Hearing:
    """Compare the scores; the first one stands where they differ by at most one."""
    given = list_scores(as_first_round(answers).first_scores)
    if on_outcomes is None:
        read = (
            f"{BEGIN}. Asked again on the outcomes of the checks alone, too few judges answered"
            f" ({given or 'none'}) to confirm {score}"
        )
        return _hearing(score, None, f"{read}: a person decides.", read)

    stands = abs(score - on_outcomes) <= MOST_APART
    read = (
        f"{BEGIN}. On the outcomes of the checks alone the judges come to {on_outcomes} ({given})"
    )
    why = read + (", so the score stands." if stands else f", not to {score}: a person decides.")
    return _hearing(score, score if stands else None, why, read)


def _hearing(before: int, after: int | None, why: str, read: str) -> Hearing:
    output = NO_SCORE if after is None else f"{after} stands"
    return Hearing(
        RuleFired(rule=RULE, before=before, after=after, why=why),
        RuleStep(rule=RULE, fired=True, input=f"{read[:1].lower()}{read[1:]}", output=output),
    )
