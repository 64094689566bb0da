"""Second hearing: where a criterion's text may address the graders, the judges answer once more.

They see the outcomes of the checks and no word of the submission. Their answers decide nothing:
they tell whether the first ones can stand.
"""

from __future__ import annotations

from courtroom.models.audit_report import RuleFired
from courtroom.models.evidence import INTEGRITY_TAG
from courtroom.models.judge_answer import OUTCOMES_ROUND
from courtroom.synthesis.opinions import CriterionAnswers, list_scores
from courtroom.synthesis.ruling_context import RulingContext

RULE = "second_hearing"
MOST_APART = 1


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


def unconfirmed(context: RulingContext, score: int) -> RuleFired:
    """Return the rule that leaves the score to a person because nothing confirms it."""
    outcomes = (context.dossier.outcomes.get(check.id) for check in context.criterion.checks)
    missing = (
        "the judges were not asked again on the outcomes of the checks alone"
        if any(outcome and outcome.met is not None for outcome in outcomes)
        else "no outcome of a check is known on which the judges could answer again"
    )
    why = (
        f"Text near this criterion may address the graders, and {missing} to confirm {score}:"
        " a person decides."
    )
    return RuleFired(rule=RULE, before=score, after=None, why=why)


def as_first_round(answers: CriterionAnswers) -> CriterionAnswers:
    """Return the answers on outcomes alone, as if they were the only ones."""
    return CriterionAnswers(
        tuple(
            answer.model_copy(update={"round": OUTCOMES_ROUND + 1})
            for answer in answers.on_outcomes
        )
    )


def compare(score: int, on_outcomes: int | None, answers: CriterionAnswers) -> RuleFired:
    """Return the rule: `after` is the score if it stands, None if a person decides."""
    given = list_scores(as_first_round(answers).first_scores)
    begin = "Text near this criterion may address the graders."
    if on_outcomes is None:
        why = (
            f"{begin} Asked again on the outcomes of the checks alone, too few judges answered"
            f" ({given or 'none'}) to confirm {score}: a person decides."
        )
        return RuleFired(rule=RULE, before=score, after=None, why=why)

    stands = abs(score - on_outcomes) <= MOST_APART
    why = (
        f"{begin} On the outcomes of the checks alone the judges come to {on_outcomes} ({given}), "
        + ("so the score stands." if stands else f"not to {score}: a person decides.")
    )
    return RuleFired(rule=RULE, before=score, after=score if stands else None, why=why)
