"""What one criterion is decided on, and how a rule's work is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from courtroom.models.record import Evidence, Persona, RuleFired
from courtroom.models.rubric import Criterion
from courtroom.synthesis.evidence_weight import Dossier
from courtroom.synthesis.guards import Law, law_on
from courtroom.synthesis.opinions import Opinions, Voices
from courtroom.synthesis.rules import Constitution, R, WeightedAverage
from courtroom.synthesis.score_arithmetic import exact

Scores = Mapping[Persona, int]
Fired = tuple[RuleFired, ...]


@dataclass(frozen=True)
class Bar:
    """One criterion before the Chief Justice: the rules, the voices and the evidence."""

    criterion: Criterion
    constitution: Constitution
    voices: Voices
    dossier: Dossier

    @property
    def opinions(self) -> Opinions:
        return self.voices.standing

    @property
    def said(self) -> Scores:
        return {judge: opinion.score for judge, opinion in self.opinions.items()}

    @cached_property
    def exhibits(self) -> tuple[Evidence, ...]:
        return self.dossier.exhibits(self.criterion, self.opinions.values())

    @cached_property
    def law(self) -> Law:
        """Which of the rules apply here."""
        return law_on(self.criterion, self.constitution, self.voices, self.dossier)

    def find(self, kind: type[R]) -> R | None:
        """The rule of this class, or None when the constitution does without it here."""
        return self.law.constitution.find(kind)

    @cached_property
    def average(self) -> WeightedAverage:
        return self.find(WeightedAverage) or WeightedAverage()

    def mean(self, scores: Scores) -> Fraction:
        """The weighted mean of who was heard; when none of them weighs anything, the plain one."""
        weigh = self.average
        weights = {
            "Prosecutor": weigh.prosecutor,
            "Defense": weigh.defense,
            "TechLead": weigh.tech_lead,
        }
        return _mean(tuple((weights[judge], score) for judge, score in scores.items()))


@lru_cache(
    maxsize=4096
)  # three judges and five scores: a cohort's verdicts ask the same again and again
def _mean(weighed: tuple[tuple[float, int], ...]) -> Fraction:
    shares = [exact(weight) for weight, _ in weighed]
    if not any(shares):
        shares = [Fraction(1)] * len(weighed)
    total = sum(
        (share * score for share, (_, score) in zip(shares, weighed, strict=True)), Fraction(0)
    )
    return total / sum(shares)


def fired(rule: str, before: Fraction | None, after: Fraction, why: str) -> RuleFired:
    return RuleFired(
        rule=rule, before=None if before is None else shown(before), after=shown(after), why=why
    )


def shown(value: Fraction) -> float:
    """To four decimals: for the reader only, nothing is computed from it."""
    return round(float(value), 4)
