"""Truth table of a constitution: its decision for every bench of three scores, under chosen flags.

The benches are made up: no evidence of a submission is read. A guard on what only a submission has
(facts, tags, the criterion's id, weight or target) is open: `BenchFlags.open_guards` answers it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import get_args

from courtroom.models.audit_report import RuleFired, RuleStep
from courtroom.models.evidence import CheckOutcome, Evidence, evidence
from courtroom.models.facts import establish
from courtroom.models.judge_answer import HEURISTIC, PERSONAS, JudicialOpinion, Persona, Score
from courtroom.models.rubric import Criterion
from courtroom.synthesis.apply_rules import Ruling, decide_criterion
from courtroom.synthesis.chief_justice import is_contested
from courtroom.synthesis.evidence_weight import SECURITY_TAG, Dossier, dossier_of
from courtroom.synthesis.opinions import CriterionAnswers
from courtroom.synthesis.rules import AnyRule, Constitution, WeightedAverage
from courtroom.synthesis.ruling_context import RulingContext

NO_FACTS = establish({}, {})
PLAIN_ARGUMENT = "There is little here."
OPEN_NAME = re.compile(r"\b(?:facts|tags|id|weight|target)\b")
Bench = tuple[Score, Score, Score]
BENCHES: tuple[Bench, ...] = tuple(product(get_args(Score), repeat=3))


@dataclass(frozen=True, slots=True)
class BenchFlags:
    """Circumstances of all benches of a table.

    `confidence` (0..1) is that of the evidence that supports every opinion. The Prosecutor's
    argument is `prosecutor_argument`. The opinion of `unsupported` cites only what speaks against
    the criterion, that of `inventive` also what its judge was not shown. Open guards all hold, all
    do not, or (None) have no answer, so that those rows need a person.
    """

    architecture: bool = False
    security_evidence: bool = False
    confidence: float = 1.0
    prosecutor_argument: str = PLAIN_ARGUMENT
    unsupported: Persona | None = None
    inventive: Persona | None = None
    open_guards: bool | None = None


@dataclass(frozen=True, slots=True)
class TruthRow:
    """Decision on one bench.

    `score` is None where a person decides. A bench that is `reheard` is decided as if the judges
    kept their scores. With `has_stand_in`, no rule that applies decides, and the weighted average
    with its default weights stands in.
    """

    scores: Bench
    score: int | None
    rules: tuple[RuleFired, ...]
    steps: tuple[RuleStep, ...]
    is_reheard: bool
    has_dissent: bool
    has_stand_in: bool

    @property
    def decided_by(self) -> str:
        """Return the last rule that set or limited the score; "" where agreement stands."""
        deciding = [rule.rule for rule in self.rules if rule.rule != "dissent_requirement"]
        return deciding[-1] if deciding else ""

    @property
    def set_by(self) -> str:
        """Return the rule to which the score is due; a cap that lowers nothing is none."""
        setter = ""
        for rule in self.rules:
            if rule.rule != "dissent_requirement" and not _is_idle_cap(rule, setter):
                setter = rule.rule
        return setter


def _is_idle_cap(rule: RuleFired, setter: str) -> bool:
    if rule.before is None or rule.before != rule.after:
        return False
    # Fact supremacy is a cap only after the rule that decides.
    has_decided = setter not in ("", "citation_check")
    return rule.rule == "security_override" or (rule.rule == "fact_supremacy" and has_decided)


def truth_table(constitution: Constitution, flags: BenchFlags) -> tuple[TruthRow, ...]:
    """Return the rows of all 125 benches, in the order of Prosecutor, Defense and Tech Lead.

    Raises RubricRefused (rubric_guard_unavailable) as synthesise does.
    """
    case = TableCase(flags)
    settled = case.settled(constitution)
    return tuple(case.row(settled, bench) for bench in BENCHES)


def is_open(rule: AnyRule) -> bool:
    """Return whether the rule has a guard that no table can answer."""
    return rule.when is not None and OPEN_NAME.search(rule.when) is not None


@dataclass(frozen=True)
class TableCase:
    """Case made up for the rows of one table."""

    flags: BenchFlags

    def settled(self, constitution: Constitution) -> Constitution:
        """Return the constitution with its open guards answered as the flags say."""
        holds = self.flags.open_guards
        if holds is None or not any(map(is_open, constitution.rules)):
            return constitution
        rules = tuple(
            rule.model_copy(update={"when": None}) if is_open(rule) else rule
            for rule in constitution.rules
            if holds or not is_open(rule)
        )
        return constitution.model_copy(update={"rules": rules})

    def row(self, constitution: Constitution, scores: Bench) -> TruthRow:
        """Return the decision on one bench."""
        opinions = (self._opinions[place] for place in zip(PERSONAS, scores, strict=True))
        answers = CriterionAnswers(tuple(opinions))
        context = RulingContext(self._criterion, constitution, answers, self._dossier)
        ruling = decide_criterion(context)
        return TruthRow(
            scores=scores,
            score=ruling.score,
            rules=ruling.rules,
            steps=ruling.steps,
            is_reheard=is_contested(context, 1),
            has_dissent=ruling.dissent is not None,
            has_stand_in=_has_stand_in(ruling, context),
        )

    @cached_property
    def _criterion(self) -> Criterion:
        architecture = self.flags.architecture
        return Criterion(id="criterion", name="Criterion", architecture=architecture)

    @cached_property
    def _dossier(self) -> Dossier:
        confidence = self.flags.confidence
        pieces = [_evidence("neutral", confidence), _evidence("unmet", confidence)]
        if self.flags.security_evidence:
            pieces.append(_evidence("security", confidence, (SECURITY_TAG,)))
        unmet = CheckOutcome(check="unmet", met=False, reason="", evidence=(pieces[1].id,))
        return dossier_of(pieces, (unmet,), NO_FACTS)

    @cached_property
    def _opinions(self) -> dict[tuple[Persona, Score], JudicialOpinion]:
        return {
            (opinion.judge, opinion.score): opinion
            for judge in PERSONAS
            for opinion in self._opinions_of(judge)
        }

    def _opinions_of(self, judge: Persona) -> Iterator[JudicialOpinion]:
        flags, dossier = self.flags, self._dossier
        cited = dossier.only_against if judge == flags.unsupported else dossier.evidence
        is_prosecutor = judge == "Prosecutor"
        for score in get_args(Score):
            yield JudicialOpinion(
                judge=judge,
                criterion_id=self._criterion.id,
                round=1,
                score=score,
                argument=flags.prosecutor_argument if is_prosecutor else PLAIN_ARGUMENT,
                cited_evidence=tuple(cited),
                model=f"{HEURISTIC}table",
                key=judge,
                invented_citations=int(judge == flags.inventive),
            )


def _has_stand_in(ruling: Ruling, context: RulingContext) -> bool:
    is_averaged = any(rule.rule == "weighted_average" for rule in ruling.rules)
    return is_averaged and context.find(WeightedAverage) is None


def _evidence(check: str, confidence: float, tags: tuple[str, ...] = ()) -> Evidence:
    return evidence(
        detective="RepoInvestigator",
        check=check,
        goal="",
        found=True,
        rationale="Evidence of a truth table.",
        confidence=confidence,
        tags=tags,
    )
