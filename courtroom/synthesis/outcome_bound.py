"""Bound on a model's score: at most one above what the outcomes of the checks allow.

A judge by a model reads words of the submission, and words can ask for a score and name the lines
to cite for it. The outcomes cannot be talked to, so no citation lifts the bound. The heuristic
bench scores outcomes alone, so nothing bounds it here.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import floor

from courtroom.checks.registry import Check, statement_on
from courtroom.models.judge_answer import Persona
from courtroom.synthesis.opinions import TITLES, list_scores
from courtroom.synthesis.ruling_context import Applied, RulingContext, Scores, fired, unfired
from courtroom.synthesis.score_arithmetic import HALF, decimal, exact

RULE = "outcome_bound"
# Room for what checks cannot see.
MOST_ABOVE = 1
HIGHEST = 5
WITH_A_GAP, WITHOUT_ESSENTIALS = 4, 3
MOST_FAULTS = 3


def bound_by_outcomes(context: RulingContext, scores: Scores) -> tuple[Applied, Scores]:
    """Return the scores with those of models bounded, and the rule where a model judged."""
    if not any(context.opinions[judge].is_by_model for judge in scores):
        return (), scores
    allowed, formula = highest_allowed(context)
    bound = min(HIGHEST, allowed + MOST_ABOVE)
    bounded = {
        judge: min(score, bound) if context.opinions[judge].is_by_model else score
        for judge, score in scores.items()
    }
    lowered = [judge for judge in scores if bounded[judge] < scores[judge]]
    read = f"the checks allow {allowed} ({formula}), and a model's score is at most {bound}"
    if not lowered:
        return (unfired(RULE, read, f"{list_scores(scores)} stay"),), scores
    before, after = context.mean(scores), context.mean(bounded)
    why = f"{_why(context)} {_changes(lowered, scores, bounded)}."
    return (fired(RULE, before, after, why, read=read, result=list_scores(bounded)),), bounded


def highest_allowed(context: RulingContext) -> tuple[int, str]:
    """Return the highest score, 1..5, that the outcomes allow, and how it is worked out.

    It is 1 + 4 x the share of weight that is met, rounded half up. Beside what is unmet, a check
    that was not established counts half: where most are open, words could lift a score by two.
    """
    unmet, unknown = _unmet(context), _unknown(context)
    weight = _weight(context.criterion.checks)
    if not unmet or not weight:
        return HIGHEST, "none is unmet"

    share = 1 - (_weight(unmet) + _weight(unknown) * HALF) / weight
    cap = WITHOUT_ESSENTIALS if any(check.essential for check in unmet) else WITH_A_GAP
    formula = f"1 + 4 x {decimal(share)}, rounded half up, at most {cap} with what is unmet"
    return min(cap, floor(1 + 4 * share + HALF)), formula


def _weight(checks: Iterable[Check]) -> Fraction:
    return sum((exact(check.weight) for check in checks), Fraction(0))


def _unmet(context: RulingContext) -> tuple[Check, ...]:
    outcomes = context.dossier.outcomes
    return tuple(
        check
        for check in context.criterion.checks
        if check.id in outcomes and outcomes[check.id].speaks_against
    )


def _unknown(context: RulingContext) -> tuple[Check, ...]:
    outcomes = context.dossier.outcomes
    return tuple(
        check
        for check in context.criterion.checks
        if check.id not in outcomes
        or (outcomes[check.id].met is None and not outcomes[check.id].speaks_against)
    )


def _why(context: RulingContext) -> str:
    outcomes = context.dossier.outcomes
    faults = list(
        dict.fromkeys(
            cause.sentence
            if (cause := outcomes[check.id].not_applicable)
            else str(statement_on(check, outcomes[check.id]))
            for check in _unmet(context)
        )
    )
    left = len(faults) - MOST_FAULTS
    more = f" Further faults: {left}." if left > 0 else ""
    return (
        f"{' '.join(faults[:MOST_FAULTS])}{more}"
        f" A score may lie at most {MOST_ABOVE} above what the checks allow."
    )


def _changes(lowered: list[Persona], scores: Scores, bounded: Scores) -> str:
    return "; ".join(
        f"{TITLES[judge]} gave {scores[judge]}: taken as {bounded[judge]}" for judge in lowered
    )
