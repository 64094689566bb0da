"""The Chief Justice: a pure function of rubric, constitution, evidence, outcomes and opinions.

It uses no model, clock, randomness or I/O: the same input in any order gives the same verdict.
The order of the rules is in apply_rules.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from courtroom.checks.feedback_log import is_received
from courtroom.checks.registry import Check, fault_of
from courtroom.models.audit_report import (
    CriterionCheck,
    CriterionResult,
    Points,
    RuleFired,
    RuleStep,
    Status,
)
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.frozen_record import Frozen
from courtroom.models.rubric import Criterion, Rubric
from courtroom.synthesis import sufficient_evidence
from courtroom.synthesis.adding_up import steps_of_sums
from courtroom.synthesis.apply_rules import Ruling, decide_criterion
from courtroom.synthesis.evidence_weight import Dossier, StatedFacts, dossier_of
from courtroom.synthesis.opinions import JudgeAnswer, answers_on, rows_of, spread_of
from courtroom.synthesis.remediation import each_once, remediation_for
from courtroom.synthesis.rules import Constitution, VarianceReEvaluation
from courtroom.synthesis.ruling_context import NO_SCORE, RulingContext
from courtroom.synthesis.score_arithmetic import (
    SCORES,
    decimal,
    exact,
    exclusion_level,
    level_of,
    overall_score,
    points_of,
    sum_points,
)

# Rule of a criterion whose detective failed.
ERROR_COLLECTOR = "error_collector"
NO_EXCHANGE = "no_exchange"


class Verdict(Frozen):
    """Verdict; `status` is needs_review if a criterion awaits a person, degraded if none has a
    score.
    """

    criteria: tuple[CriterionResult, ...]
    overall_score: float | None
    points: Points | None
    status: Status
    steps: tuple[RuleStep, ...] = ()


def synthesise(
    *,
    rubric: Rubric,
    constitution: Constitution,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    facts: StatedFacts,
    opinions: Sequence[JudgeAnswer],
) -> Verdict:
    """Decide every criterion in the order of the rubric, and add up the scored ones.

    `outcomes` holds at most one for each check. Raises RubricRefused (rubric_guard_unavailable)
    when a rule has a guard and this installation lacks the packages for guards.
    """
    dossier = dossier_of(evidence, outcomes, facts)
    missing = sufficient_evidence.why_insufficient(constitution, evidence, facts, outcomes)
    # Without a report there is nothing to implement, whatever was given to others.
    excluded = is_received(facts.model_dump(mode="json", by_alias=True)) is False
    decided = (
        _result(
            RulingContext(criterion, constitution, answers_on(criterion.id, opinions), dossier),
            missing=missing,
            excluded=excluded and criterion.exclude_when == "no_exchange",
        )
        for criterion in rubric.criteria
    )
    results = tuple(each_once(decided))
    return Verdict(
        criteria=results,
        overall_score=overall_score(rubric, results),
        points=sum_points(results),
        status=_status(results),
        steps=(
            _evidence_step(constitution, evidence, missing),
            *steps_of_sums(rubric, results),
        ),
    )


def _evidence_step(
    constitution: Constitution, evidence: Sequence[Evidence], missing: str
) -> RuleStep:
    rule = sufficient_evidence.RULE
    if missing:
        return RuleStep(
            rule=rule, fired=True, input=missing.rstrip("."), output="no criterion is judged"
        )
    count = sufficient_evidence.count_sufficient(constitution, evidence)
    read = (
        f"{count} pieces of evidence that were found with a confidence of"
        f" {constitution.min_evidence_confidence:g} or more, {constitution.min_evidence} needed"
    )
    return RuleStep(rule=rule, fired=False, input=read, output="the criteria are judged")


def failed_check(context: RulingContext) -> str:
    """Return why a detective failed on a check; else "".

    Where the constitution does not need them all, it must have failed on most of the weight.
    """
    outcomes, checks = context.dossier.outcomes, context.criterion.checks
    failed = [c for c in checks if (outcome := outcomes.get(c.id)) and outcome.has_failed]
    is_most = 2 * sum(c.weight for c in failed) > sum(c.weight for c in checks)
    if not (is_most or context.constitution.needs_every_detective):
        return ""
    return next((outcomes[check.id].reason for check in failed), "")


def contested(
    rubric: Rubric,
    constitution: Constitution,
    opinions: Sequence[JudgeAnswer],
    hearing: int,
    dossier: Dossier,
) -> tuple[str, ...]:
    """Return ids of criteria that need another round, in the order of the rubric.

    `hearing` is the number of the last round, from 1. The spread is that of the opinions as given:
    a judge whose citations do not hold may find better ones.
    """
    contexts = (
        RulingContext(c, constitution, answers_on(c.id, opinions), dossier) for c in rubric.criteria
    )
    return tuple(c.criterion.id for c in contexts if is_contested(c, hearing))


def is_contested(context: RulingContext, hearing: int) -> bool:
    """Return whether a criterion needs another round after `hearing`, the last one, from 1."""
    rule = context.constitution.find(VarianceReEvaluation)
    return (
        rule is not None
        and hearing <= rule.max_rounds
        and len(context.opinions) >= context.constitution.quorum
        and spread_of(context.scores.values()) > rule.spread_above
        and context.find(VarianceReEvaluation) is not None
    )


def _status(results: Sequence[CriterionResult]) -> Status:
    # One score is enough for a report that a person completes; none at all is degraded.
    if any(result.needs_review for result in results):
        return (
            "needs_review"
            if any(result.final_score is not None for result in results)
            else "degraded"
        )
    return "verdict"


def _result(context: RulingContext, *, missing: str, excluded: bool) -> CriterionResult:
    criterion, dossier = context.criterion, context.dossier
    return CriterionResult(
        id=criterion.id,
        name=criterion.name,
        max_points=criterion.max_points,
        opinions=rows_of(context.answers.heard),
        second_hearing=rows_of(context.answers.on_outcomes),
        checks=check_rows(criterion, dossier.outcomes),
        evidence=tuple(piece.id for piece in context.evidence_items),
        remediation=remediation_for(criterion, dossier.work),
        **_decision(context, missing=missing, excluded=excluded),
    )


def _decision(context: RulingContext, *, missing: str, excluded: bool) -> dict[str, Any]:
    """Return the fields of a result that tell how it was decided."""
    if missing:
        return unscored(sufficient_evidence.RULE, missing) | {"needs_review": True}
    if excluded:
        level = exclusion_level(context.criterion)
        why = "No report by a peer was received: this criterion is in neither sum."
        return unscored(NO_EXCHANGE, why, output="excluded") | {
            "excluded": True,
            "level": level.name if level else None,
        }
    failure = failed_check(context)
    if failure:
        why = f"A person decides, because not all could be examined. {failure}"
        return unscored(ERROR_COLLECTOR, why) | {"needs_review": True}
    return _decided(context.criterion, decide_criterion(context), _passed(context))


def unscored(rule: str, why: str, *, output: str = NO_SCORE) -> dict[str, Any]:
    """Return the fields of a result without a score: the rule that led to it, and why."""
    fired = RuleFired(rule=rule, before=None, after=None, why=why)
    step = RuleStep(rule=rule, fired=True, input=why.rstrip("."), output=output)
    return {"resolution": (rule,), "rules": (fired,), "rationale": why, "steps": (step,)}


def _passed(context: RulingContext) -> Iterator[RuleStep]:
    """Yield the steps of what might have left this criterion unjudged, and did not."""
    if context.criterion.exclude_when:
        read = "a report by a peer was received, or it is not known if it was"
        yield RuleStep(rule=NO_EXCHANGE, fired=False, input=read, output="in both sums")
    if context.constitution.needs_every_detective:
        read = "no detective failed on a check of this criterion"
        yield RuleStep(rule=ERROR_COLLECTOR, fired=False, input=read, output="it is judged")


def _decided(criterion: Criterion, ruling: Ruling, passed: Iterable[RuleStep]) -> dict[str, Any]:
    level = None if ruling.score is None else level_of(criterion, ruling.score)
    worth = () if ruling.score is None else _worth(criterion, ruling.score)
    return {
        "final_score": ruling.score,
        "level": level.name if level else None,
        "points": None if ruling.score is None else points_of(criterion, ruling.score),
        "needs_review": ruling.score is None,
        "resolution": tuple(dict.fromkeys(fired.rule for fired in ruling.rules)),
        "rules": ruling.rules,
        "steps": (*passed, *ruling.steps, *worth),
        "rationale": ruling.rationale,
        "dissent": ruling.dissent,
    }


def _worth(criterion: Criterion, score: int) -> tuple[RuleStep, ...]:
    """Return the step from the score to level and points; () where the rubric has neither."""
    level, points = level_of(criterion, score), points_of(criterion, score)
    if level is None and points is None:
        return ()
    words = [f"level “{level.name}”"] if level else []
    if criterion.max_points is not None and points is not None:
        share = "" if level else f"{criterion.max_points:g} x ({score} - 1) / {SCORES - 1} = "
        of = f"{decimal(exact(points))} of {criterion.max_points:g} points"
        words.append(share + of)
    return (
        RuleStep(rule="worth", fired=True, input=f"{score} of {SCORES}", output=", ".join(words)),
    )


def check_rows(
    criterion: Criterion, outcomes: Mapping[str, CheckOutcome]
) -> tuple[CriterionCheck, ...]:
    """Return the criterion's checks with their outcomes, which are by the check's id."""
    return tuple(_check_row(check, outcomes.get(check.id)) for check in criterion.checks)


def _check_row(check: Check, outcome: CheckOutcome | None) -> CriterionCheck:
    return CriterionCheck(
        check=check.id,
        kind=check.kind,
        goal=check.goal,
        fault=fault_of(check, outcome),
        met=outcome.met if outcome else None,
        reason=outcome.reason if outcome else "This check was not examined.",
        weight=check.weight,
        essential=check.essential,
        evidence=outcome.evidence if outcome else (),
        has_failed=outcome.has_failed if outcome else False,
        has_reservation=outcome.has_reservation if outcome else False,
        not_applicable=outcome.not_applicable if outcome else None,
    )
