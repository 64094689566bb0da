"""The Chief Justice: a pure function of rubric, constitution, evidence, outcomes and opinions.

No model, no clock, no randomness, no I/O; the same record in, in whatever order, the same verdict out.
The order of the rules is in rulings.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from courtroom.checks.feedback_log import FeedbackLog
from courtroom.checks.registry import Check
from courtroom.models.facts import NOT_EXAMINED
from courtroom.models.record import (
    CheckOutcome,
    CriterionCheck,
    CriterionResult,
    Evidence,
    Frozen,
    Points,
    RuleFired,
    Status,
)
from courtroom.models.rubric import Criterion, Rubric
from courtroom.synthesis.apply_rules import Ruling, rule_on
from courtroom.synthesis.evidence_weight import Dossier, StatedFacts, dossier_of
from courtroom.synthesis.opinions import Answer, spread_of, voices_on
from courtroom.synthesis.remediation import remediate
from courtroom.synthesis.rules import Constitution, VarianceReEvaluation
from courtroom.synthesis.ruling_context import Bar
from courtroom.synthesis.score_arithmetic import (
    exclusion_level,
    level_of,
    overall_score,
    points_of,
    tally,
)

REASONS = 3


class Verdict(Frozen):
    """`status` is needs_review when a criterion awaits a person, degraded when none has a score."""

    criteria: tuple[CriterionResult, ...]
    overall_score: float | None
    points: Points | None
    status: Status


def synthesise(
    *,
    rubric: Rubric,
    constitution: Constitution,
    evidence: Sequence[Evidence],
    outcomes: Sequence[CheckOutcome],
    facts: StatedFacts,
    opinions: Sequence[Answer],
) -> Verdict:
    """Decide every criterion of the rubric, in its order, and add up.

    With some criteria awaiting review the sums are over the scored ones. `outcomes` holds at most one per check.
    Raises RubricRefused (rubric_guard_unavailable) when a rule has a guard that this installation cannot read.
    """
    dossier = dossier_of(evidence, outcomes, facts)
    lacking = lack_of_evidence(constitution, evidence, facts.unknown)
    excluded = _exchanged(rubric, dossier) is False
    results = tuple(
        _result(
            Bar(criterion, constitution, voices_on(criterion.id, opinions), dossier),
            lacking=lacking,
            excluded=excluded and criterion.exclude_when == "no_exchange",
        )
        for criterion in rubric.criteria
    )
    return Verdict(
        criteria=results,
        overall_score=overall_score(rubric, results),
        points=tally(results),
        status=_status(results),
    )


def lack_of_evidence(
    constitution: Constitution, evidence: Sequence[Evidence], unknown: Mapping[str, str]
) -> str:
    """Why nothing may be judged at all, with why facts are missing; empty when there is enough to judge."""
    if len(evidence) >= constitution.min_evidence:
        return ""
    found = f"Only {len(evidence)} pieces of evidence could be collected and {constitution.min_evidence} are needed."
    reasons = sorted(set(unknown.values()) - {NOT_EXAMINED})
    return " ".join([found, *(f"Not established: {reason}." for reason in reasons[:REASONS])])


def contested(
    rubric: Rubric,
    constitution: Constitution,
    opinions: Sequence[Answer],
    hearing: int,
    dossier: Dossier,
) -> tuple[str, ...]:
    """Ids of the criteria to be heard again after this hearing (1-based), in the order of the rubric.

    The spread is that of what was said: a judge whose citations do not hold may find better ones.
    """
    rule = constitution.find(VarianceReEvaluation)
    if rule is None or hearing > rule.max_rounds:
        return ()
    bars = [Bar(c, constitution, voices_on(c.id, opinions), dossier) for c in rubric.criteria]
    return tuple(
        bar.criterion.id
        for bar in bars
        if len(bar.opinions) >= constitution.quorum
        and spread_of(bar.said.values()) > rule.spread_above
        and bar.find(VarianceReEvaluation)
    )


def _exchanged(rubric: Rubric, dossier: Dossier) -> bool | None:
    """Whether feedback was exchanged, as a fact; None when that is not known. A rubric need not have a check on it."""
    checks = [
        check
        for check in rubric.checks
        if isinstance(check, FeedbackLog) and check.aspect == "exchanged"
    ]
    if not checks:
        return _exchanged_as_told(dossier.facts.model_dump(mode="json", by_alias=True))
    known = [dossier.outcomes[check.id].met for check in checks if check.id in dossier.outcomes]
    established = [met for met in known if met is not None]
    return any(established) if established else None


def _exchanged_as_told(facts: Mapping[str, Any]) -> bool | None:
    """By the reports in the repository, or by those that a site knows of."""
    in_repository, on_site = facts.get("minmax"), facts.get("exchange")
    told = [source for source in (in_repository, on_site) if source is not None]
    if any(source["generated"] or source["received"] for source in told):
        return True
    return None if in_repository is None else False


def _status(results: Sequence[CriterionResult]) -> Status:
    if any(result.needs_review for result in results):
        return (
            "needs_review"
            if any(result.final_score is not None for result in results)
            else "degraded"
        )
    return "verdict"


def _result(bar: Bar, *, lacking: str, excluded: bool) -> CriterionResult:
    criterion, dossier = bar.criterion, bar.dossier
    return CriterionResult(
        id=criterion.id,
        name=criterion.name,
        max_points=criterion.max_points,
        opinions=bar.voices.rows,
        checks=tuple(_check_row(check, dossier) for check in criterion.checks),
        evidence=tuple(piece.id for piece in bar.exhibits),
        remediation=remediate(criterion, dossier.outcomes, dossier.evidence),
        **_decision(bar, lacking=lacking, excluded=excluded),
    )


def _decision(bar: Bar, *, lacking: str, excluded: bool) -> dict[str, Any]:
    """The fields of a result that say how it was decided."""
    if lacking:
        return _unscored("min_evidence", lacking) | {"needs_review": True}
    if excluded:
        level = exclusion_level(bar.criterion)
        why = "No feedback was exchanged: this criterion is in neither sum."
        return _unscored("no_exchange", why) | {
            "excluded": True,
            "level": level.name if level else None,
        }
    return _decided(bar.criterion, rule_on(bar))


def _unscored(rule: str, why: str) -> dict[str, Any]:
    fired = RuleFired(rule=rule, before=None, after=None, why=why)
    return {"resolution": (rule,), "rules": (fired,), "rationale": why}


def _decided(criterion: Criterion, ruling: Ruling) -> dict[str, Any]:
    level = None if ruling.score is None else level_of(criterion, ruling.score)
    return {
        "final_score": ruling.score,
        "level": level.name if level else None,
        "points": None if ruling.score is None else points_of(criterion, ruling.score),
        "needs_review": ruling.score is None,
        "resolution": tuple(dict.fromkeys(fired.rule for fired in ruling.rules)),
        "rules": ruling.rules,
        "rationale": ruling.rationale,
        "dissent": ruling.dissent,
    }


def _check_row(check: Check, dossier: Dossier) -> CriterionCheck:
    outcome = dossier.outcomes.get(check.id)
    return CriterionCheck(
        check=check.id,
        kind=check.kind,
        goal=check.goal,
        met=outcome.met if outcome else None,
        reason=outcome.reason if outcome else "This check was not examined.",
        weight=check.weight,
        evidence=outcome.evidence if outcome else (),
    )
