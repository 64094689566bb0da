"""Bound on a model's score: at most one above what the outcomes of the checks allow.

A judge by a model reads words of the submission, and words can ask for a score. The outcomes
cannot be talked to. The heuristic bench scores outcomes alone, so nothing bounds it here.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor

from courtroom.checks.registry import Check
from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import JudicialOpinion, Persona
from courtroom.synthesis.opinions import TITLES
from courtroom.synthesis.ruling_context import Fired, RulingContext, Scores, fired_rule
from courtroom.synthesis.score_arithmetic import HALF, exact

RULE = "outcome_bound"
# Room for what checks cannot see.
MOST_ABOVE = 1
HIGHEST = 5
WITH_A_GAP, WITHOUT_ESSENTIALS = 4, 3
INTEGRITY_TAG = "integrity"
MOST_GOALS = 3


def bound_by_outcomes(context: RulingContext, scores: Scores) -> tuple[Fired, Scores]:
    """Return the scores with those of models bounded, and the rule if it lowered one."""
    bounds = {
        judge: min(HIGHEST, highest_allowed(context, opinion) + MOST_ABOVE)
        for judge, opinion in context.opinions.items()
        if opinion.is_by_model
    }
    bounded = {judge: min(score, bounds.get(judge, score)) for judge, score in scores.items()}
    lowered = [judge for judge in scores if bounded[judge] < scores[judge]]
    if not lowered:
        return (), scores
    why = f"{_why(context)} {_changes(lowered, scores, bounded)}."
    return (fired_rule(RULE, context.mean(scores), context.mean(bounded), why),), bounded


def highest_allowed(context: RulingContext, opinion: JudicialOpinion) -> int:
    """Return the highest score, 1..5, that the outcomes allow this opinion.

    It is 1 + 4 x the share of weight that is not unmet, rounded half up: a check that was not
    established counts for the work, and so does an unmet one on which the opinion cites lines.
    """
    unmet = [check for check in _unmet(context) if not _cites_lines_on(check, opinion, context)]
    weight = sum((exact(check.weight) for check in context.criterion.checks), Fraction(0))
    if not unmet or not weight:
        return HIGHEST

    share = 1 - sum((exact(check.weight) for check in unmet), Fraction(0)) / weight
    cap = WITHOUT_ESSENTIALS if any(check.essential for check in unmet) else WITH_A_GAP
    return min(cap, floor(1 + 4 * share + HALF))


def _unmet(context: RulingContext) -> tuple[Check, ...]:
    outcomes = context.dossier.outcomes
    return tuple(
        check
        for check in context.criterion.checks
        if check.id in outcomes and outcomes[check.id].met is False
    )


def _cites_lines_on(check: Check, opinion: JudicialOpinion, context: RulingContext) -> bool:
    """Return whether the opinion cites verified lines that no outcome rests on and that bear on it.

    They do when they were recorded for this check, or lie in a file that its own evidence names.
    Nothing bears on a check of a criterion whose evidence may address the graders.
    """
    if any(INTEGRITY_TAG in item.tags for item in context.evidence_items):
        return False
    own = {item.location.path for item in _evidence_of(check, context)} - {None}
    return any(
        item.check == check.id or item.location.path in own
        for item in _further_lines(opinion, context)
    )


def _evidence_of(check: Check, context: RulingContext) -> Iterator[Evidence]:
    evidence = context.dossier.evidence
    return (evidence[i] for i in context.dossier.evidence_of(check.id) if i in evidence)


def _further_lines(opinion: JudicialOpinion, context: RulingContext) -> Iterator[Evidence]:
    """Yield cited lines, verbatim as all evidence with a path and lines, beside any outcome's."""
    outcomes = context.dossier.outcomes.values()
    owned = {evidence_id for outcome in outcomes for evidence_id in outcome.evidence}
    for evidence_id in opinion.cited_evidence:
        item = context.dossier.evidence.get(evidence_id)
        if item and evidence_id not in owned and _is_verbatim(item):
            yield item


def _is_verbatim(item: Evidence) -> bool:
    place = item.location
    return bool(item.found and item.content and place.path and place.line_start)


def _why(context: RulingContext) -> str:
    goals = [check.goal for check in _unmet(context)]
    shown = "; ".join(f"“{goal}”" for goal in goals[:MOST_GOALS])
    more = f" and {len(goals) - MOST_GOALS} more" if len(goals) > MOST_GOALS else ""
    return (
        f"Not met: {shown}{more}. A score may lie at most {MOST_ABOVE} above what the checks allow"
        " unless it cites further lines on them."
    )


def _changes(lowered: list[Persona], scores: Scores, bounded: Scores) -> str:
    return "; ".join(
        f"{TITLES[judge]} gave {scores[judge]}: taken as {bounded[judge]}" for judge in lowered
    )
