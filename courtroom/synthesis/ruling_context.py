"""Context in which the rules decide one criterion, and the record of a rule that fired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from courtroom.models.audit_report import RuleFired
from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import Persona
from courtroom.models.rubric import Criterion
from courtroom.synthesis.evidence_weight import Dossier
from courtroom.synthesis.guards import ApplicableRules, applicable_rules
from courtroom.synthesis.opinions import CriterionAnswers, Opinions
from courtroom.synthesis.rules import CitationCheck, Constitution, R, WeightedAverage
from courtroom.synthesis.score_arithmetic import exact

Scores = Mapping[Persona, int]
Fired = tuple[RuleFired, ...]


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

    @cached_property
    def average(self) -> WeightedAverage:
        return self.find(WeightedAverage) or WeightedAverage()

    def mean(self, scores: Scores) -> Fraction:
        """Return the weighted mean; if all weights are zero, the plain mean."""
        rule = self.average
        weights = {
            "Prosecutor": rule.prosecutor,
            "Defense": rule.defense,
            "TechLead": rule.tech_lead,
        }
        return _mean(tuple((weights[judge], score) for judge, score in scores.items()))


# Three judges and five scores: the verdicts of a cohort ask for few different means.
@lru_cache(maxsize=4096)
def _mean(weighted_scores: tuple[tuple[float, int], ...]) -> Fraction:
    weights = [exact(weight) for weight, _ in weighted_scores]
    if not any(weights):
        weights = [Fraction(1)] * len(weighted_scores)

    products = (weight * score for weight, (_, score) in zip(weights, weighted_scores, strict=True))
    return sum(products, Fraction(0)) / sum(weights)


def fired_rule(rule: str, before: Fraction | None, after: Fraction, why: str) -> RuleFired:
    return RuleFired(
        rule=rule,
        before=None if before is None else displayed(before),
        after=displayed(after),
        why=why,
    )


def displayed(value: Fraction) -> float:
    """Round to four decimals for the reader; nothing is computed from the result."""
    return round(float(value), 4)
