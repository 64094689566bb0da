"""The rules at work on one criterion.

They always work in this order, whatever the order in which a constitution lists them:

1. quorum               fewer opinions than the quorum: a person decides, there is no score
2. guard                a rule whose guard does not hold is left out; one that cannot be answered needs a person
3. fact_supremacy       a score that its citations do not support is drawn to the nearest one that is
4. variance_re_evaluation   a spread still above the limit after the re-hearings goes to the Tech Lead
5. functionality_weight     an architecture criterion goes to the Tech Lead
6. weighted_average     decides when neither 4 nor 5 did
7. security_override, then fact_supremacy on weak evidence: caps, which only lower
8. dissent_requirement  the latest opinions lie apart: both sides are quoted

The value is rounded once, at the end; every cap is a whole number, so rounding never lifts a score over it.
A rule fires when its condition holds; `before` and `after` say what that changed, which may be nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from courtroom.models.record import Persona, RuleFired
from courtroom.synthesis.caps import capped
from courtroom.synthesis.dissent import dissent_text
from courtroom.synthesis.evidence_weight import contradiction, upheld_scores
from courtroom.synthesis.opinions import TITLES, listing, spread_of
from courtroom.synthesis.rules import (
    DissentRequirement,
    FactSupremacy,
    FunctionalityWeight,
    VarianceReEvaluation,
)
from courtroom.synthesis.ruling_context import Bar, Fired, Scores, fired, shown
from courtroom.synthesis.score_arithmetic import rounded


@dataclass(frozen=True, slots=True)
class Ruling:
    """`score` is null when a person has to decide; `rules` is what fired, in order."""

    score: int | None
    rules: Fired
    rationale: str
    dissent: str | None = None


def rule_on(bar: Bar) -> Ruling:
    """Decide one criterion, in the order above."""
    if len(bar.opinions) < bar.constitution.quorum:
        return _review("quorum", _why_no_quorum(bar))
    if bar.law.unclear:
        return _review("guard", bar.law.unclear)
    overruled, scores = _uphold_facts(bar)
    if not scores:
        return _review(
            "fact_supremacy", f"No opinion is supported by what it cites. {_why_unsupported(bar)}"
        )
    decided, how = _decide(bar, scores)
    value, caps = capped(bar, decided)
    dissent = _dissent(bar, value)
    rules = (*overruled, *how, *caps, *dissent)
    return Ruling(
        score=rounded(value, bar.average.rounding),
        rules=rules,
        rationale=_rationale(bar, value, rules),
        dissent=dissent_text(bar.opinions, bar.dossier.evidence) if dissent else None,
    )


def _review(rule: str, why: str) -> Ruling:
    return Ruling(
        score=None, rules=(RuleFired(rule=rule, before=None, after=None, why=why),), rationale=why
    )


def _why_no_quorum(bar: Bar) -> str:
    given, quorum = len(bar.opinions), bar.constitution.quorum
    missing = "; ".join(
        f"{TITLES[f.judge]}: {f.failure} ({f.message})" for f in bar.voices.failures
    )
    return f"{given} of 3 judges gave an opinion and {quorum} are needed. {missing}".rstrip()


def _unsupported(bar: Bar) -> dict[Persona, str]:
    reasons = {
        judge: contradiction(opinion, bar.dossier) for judge, opinion in bar.opinions.items()
    }
    return {judge: why for judge, why in reasons.items() if why}


def _why_unsupported(bar: Bar) -> str:
    return "; ".join(f"{TITLES[judge]} {why}" for judge, why in _unsupported(bar).items()) + "."


def _uphold_facts(bar: Bar) -> tuple[Fired, Scores]:
    """The scores that stand; none at all when not one opinion is supported."""
    rule = bar.find(FactSupremacy)
    said = bar.said
    unsupported = _unsupported(bar) if rule and rule.overrule_unsupported else {}
    upheld = upheld_scores(bar.opinions, unsupported)
    if not upheld or upheld == said:
        return (), upheld
    why = "; ".join(
        f"{TITLES[judge]} gave {said[judge]} but {why}: taken as {upheld[judge]}"
        for judge, why in unsupported.items()
        if said[judge] != upheld[judge]
    )
    return (fired("fact_supremacy", bar.mean(said), bar.mean(upheld), f"{why}."),), upheld


def _decide(bar: Bar, scores: Scores) -> tuple[Fraction, Fired]:
    """The Tech Lead's word where a rule gives it that weight, else the weighted mean."""
    mean = bar.mean(scores)
    settled, reheard = _re_evaluate(bar, scores, mean)
    lead = _functionality_lead(bar, scores)
    if lead is not None:
        why = f"{bar.criterion.name} is decided by the Tech Lead: {lead}."
        before = mean if settled is None else settled
        return Fraction(lead), (
            *reheard,
            fired("functionality_weight", before, Fraction(lead), why),
        )
    if settled is not None:
        return settled, reheard
    return mean, (*reheard, *_average(bar, scores, mean))


def _re_evaluate(bar: Bar, scores: Scores, mean: Fraction) -> tuple[Fraction | None, Fired]:
    """The Tech Lead's score when the bench is too far apart even after the re-hearings; None leaves it to others."""
    rule = bar.find(VarianceReEvaluation)
    if rule is None:
        return None, ()
    first = bar.voices.first_scores if bar.voices.rounds > 1 else {}
    apart = spread_of(scores.values())
    if not first and apart <= rule.spread_above:
        return None, ()
    lead = (
        scores.get("TechLead") if apart > rule.spread_above and rule.then == "tech_lead" else None
    )
    settled = None if lead is None else Fraction(lead)
    why = f"Heard again: {listing(first)} became {listing(bar.said)}. " if first else ""
    before, after = bar.mean(first) if first else mean, mean if settled is None else settled
    return settled, (
        fired(rule.kind, before, after, (why + _why_above(rule, apart, lead)).strip()),
    )


def _why_above(rule: VarianceReEvaluation, apart: int, lead: int | None) -> str:
    if apart <= rule.spread_above:
        return ""
    settled = "they are averaged" if lead is None else f"the Tech Lead decides, {lead}"
    return f"The scores lie {apart} apart, more than {rule.spread_above}: {settled}."


def _functionality_lead(bar: Bar, scores: Scores) -> int | None:
    rule = bar.find(FunctionalityWeight)
    applies = rule and (rule.applies_to == "every_criterion" or bar.criterion.architecture)
    return scores.get("TechLead") if applies else None


def _average(bar: Bar, scores: Scores, mean: Fraction) -> Fired:
    if not bar.average.on_unanimity and spread_of(scores.values()) == 0:
        return ()
    return (
        fired(
            "weighted_average",
            None,
            mean,
            f"The weighted mean of {listing(scores)} is {shown(mean):g}.",
        ),
    )


def _dissent(bar: Bar, value: Fraction) -> Fired:
    rule = bar.find(DissentRequirement)
    apart = spread_of(bar.said.values())
    if rule is None or apart < rule.spread_from:
        return ()
    why = f"The opinions lie {apart} apart, at least {rule.spread_from}: both sides are quoted."
    return (fired(rule.kind, value, value, why),)


def _rationale(bar: Bar, value: Fraction, rules: Fired) -> str:
    score = rounded(value, bar.average.rounding)
    unanimous = [] if rules else [f"All judges that were heard gave {score}."]
    turned = [f"{shown(value):g} is rounded to {score}."] if value != score else []
    return " ".join([*unanimous, *(rule.why for rule in rules), *turned])
