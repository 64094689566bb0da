"""Context in which the rules decide one criterion, and the record of a rule that was applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from courtroom.models.audit_report import RuleFired, RuleStep
from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import Persona
from courtroom.models.rubric import Criterion
from courtroom.synthesis.evidence_weight import Dossier
from courtroom.synthesis.guards import ApplicableRules, applicable_rules
from courtroom.synthesis.opinions import CriterionAnswers, Opinions
from courtroom.synthesis.rules import (
    CitationCheck,
    Constitution,
    GuardedRule,
    R,
    WeightedAverage,
)
from courtroom.synthesis.score_arithmetic import Weighted, displayed, exact, weighted_mean

Scores = Mapping[Persona, int]
NO_SCORE = "no score: a person decides"


@dataclass(frozen=True, slots=True)
class AppliedRule:
    """Step of a rule in words; `effect` is None where the rule did not fire."""

    step: RuleStep
    effect: RuleFired | None = None


Applied = tuple[AppliedRule, ...]


@dataclass(frozen=True)
class RulingContext:
    """One criterion with the constitution, the judges' answers and the evidence."""

    criterion: Criterion
    constitution: Constitution
    answers: CriterionAnswers
    dossier: Dossier

    @cached_property
    def opinions(self) -> Opinions:
        """Latest opinion of each judge, without those that are set aside."""
        standing = self.answers.standing
        return {judge: standing[judge] for judge in standing if judge not in self.set_aside}

    @cached_property
    def set_aside(self) -> frozenset[Persona]:
        """Judges who cite what they were not shown, where a rule sets their opinions aside."""
        if not self.find(CitationCheck):
            return frozenset()
        standing = self.answers.standing.items()
        return frozenset(judge for judge, opinion in standing if opinion.invented_citations)

    @property
    def scores(self) -> Scores:
        return {judge: opinion.score for judge, opinion in self.opinions.items()}

    @cached_property
    def evidence_items(self) -> tuple[Evidence, ...]:
        return self.dossier.evidence_items(self.criterion, self.opinions.values())

    @cached_property
    def applicable(self) -> ApplicableRules:
        """The constitution with the rules that apply to this criterion."""
        return applicable_rules(self.criterion, self.constitution, self.answers, self.dossier)

    def find(self, kind: type[R]) -> R | None:
        """Return the rule of this class, or None where the constitution does without it."""
        return self.applicable.constitution.find(kind)

    def left_out(self, kind: type[GuardedRule]) -> Applied:
        """Return the step of a rule whose guard is false; () without such a rule."""
        rule = self.constitution.find(kind)
        if rule is None or not rule.when:
            return ()
        name = kind.model_fields["kind"].default
        return (unfired(name, f"its condition does not hold here: {rule.when}", "left out"),)

    @cached_property
    def average(self) -> WeightedAverage:
        return self.find(WeightedAverage) or WeightedAverage()

    def mean(self, scores: Scores) -> Fraction:
        """Return the weighted mean; if all weights are zero, the plain mean."""
        return _mean(self.weighted(scores))

    def weighted(self, scores: Scores) -> Weighted:
        """Return the scores with the weights of their judges; all weigh 1 where all weigh nothing."""
        rule = self.average
        weights = {
            "Prosecutor": exact(rule.prosecutor),
            "Defense": exact(rule.defense),
            "TechLead": exact(rule.tech_lead),
        }
        has_weight = any(weights[judge] for judge in scores)
        return tuple(
            (weights[judge] if has_weight else Fraction(1), score)
            for judge, score in scores.items()
        )


# Three judges and five scores: the verdicts of a cohort ask for few different means.
_mean = lru_cache(maxsize=4096)(weighted_mean)


def fired(
    rule: str, before: Fraction | None, after: Fraction, why: str, *, read: str, result: str
) -> AppliedRule:
    """Return a rule that fired; `why` is its sentence of the rationale."""
    effect = RuleFired(
        rule=rule,
        before=None if before is None else displayed(before),
        after=displayed(after),
        why=why,
    )
    return AppliedRule(RuleStep(rule=rule, fired=True, input=read, output=result), effect)


def unfired(rule: str, read: str, result: str) -> AppliedRule:
    return AppliedRule(RuleStep(rule=rule, fired=False, input=read, output=result))
