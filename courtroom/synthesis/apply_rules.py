"""Rules of a constitution, applied to one criterion.

They always apply in this order, whatever the order in the constitution:

1. quorum                  fewer opinions than the quorum: a person decides, there is no score
2. guard                   a rule whose guard is false is left out; if a guard has no answer, a
                           person decides
   citation_check          an opinion that cites what its judge was not shown is set aside; fewer
                           left than the quorum: a person decides
3. fact_supremacy          a score that its citations do not support moves to the nearest one that is
4. outcome_bound           a model's score lies at most one above what the checks allow, whatever
                           the constitution
   fact_supremacy          for `defense`: the higher score of Prosecutor and Tech Lead decides, where
                           a Defense above the Prosecutor is not supported; 5 to 7 do not apply
5. variance_re_evaluation  a spread above the limit after the last round goes to the Tech Lead
6. functionality_weight    an architecture criterion goes to the Tech Lead
7. weighted_average        decides when neither 5 nor 6 did
8. security_override, then fact_supremacy on weak evidence: caps, which only lower
9. dissent_requirement     the latest opinions differ: each is quoted
10. second_hearing         the judges heard on outcomes alone differ by more than one, or could not
                           be heard so: a person

The value is rounded once, at the end; caps are whole numbers, so rounding never lifts a score above
one. A rule fires when its condition holds; `before` and `after` tell the change, which may be none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from courtroom.models.audit_report import RuleFired
from courtroom.models.judge_answer import PERSONAS, Persona
from courtroom.synthesis.caps import apply_caps
from courtroom.synthesis.dissent import dissent_text
from courtroom.synthesis.evidence_weight import (
    contradiction_of,
    lack_of_support,
    upheld_scores,
)
from courtroom.synthesis.opinions import TITLES, list_scores, spread_of
from courtroom.synthesis.outcome_bound import bound_by_outcomes
from courtroom.synthesis.rules import (
    DissentRequirement,
    FactSupremacy,
    FunctionalityWeight,
    VarianceReEvaluation,
)
from courtroom.synthesis.ruling_context import Fired, RulingContext, Scores, displayed, fired_rule
from courtroom.synthesis.score_arithmetic import rounded
from courtroom.synthesis.second_hearing import (
    as_first_round,
    compare,
    is_missing,
    unconfirmed,
)


@dataclass(frozen=True, slots=True)
class Ruling:
    """Decision on one criterion: `score` is None when a person decides; `rules` fired in this
    order.
    """

    score: int | None
    rules: Fired
    rationale: str
    dissent: str | None = None


def decide_criterion(context: RulingContext) -> Ruling:
    """Decide one criterion in the order above."""
    ruling = _rule_on(context)
    if ruling.score is None:
        return ruling
    if context.answers.on_outcomes:
        other = _rule_on(replace(context, answers=as_first_round(context.answers)))
        fired = compare(ruling.score, other.score, context.answers)
    elif is_missing(context):
        fired = unconfirmed(context, ruling.score)
    else:
        return ruling

    return replace(
        ruling,
        score=ruling.score if fired.after else None,
        rules=(*ruling.rules, fired),
        rationale=f"{ruling.rationale} {fired.why}",
    )


def _rule_on(context: RulingContext) -> Ruling:
    """Decide on the opinions that this context holds."""
    if len(context.answers.standing) < context.constitution.quorum:
        return _review("quorum", _why_no_quorum(context))
    if context.applicable.unclear:
        return _review("guard", context.applicable.unclear)
    if len(context.opinions) < context.constitution.quorum:
        return _review("citation_check", _why_no_quorum(context))
    # Facts come first: every later rule decides on supported scores only.
    fact_rules, scores = _uphold_facts(context)
    if not scores:
        return _review(
            "fact_supremacy",
            f"No opinion is supported by what it cites. {_why_unsupported(context)}",
        )

    bound, scores = bound_by_outcomes(context, scores)
    value, deciding_rules = _decide(context, scores)
    # Caps come after every rule that decides, so that none of them can lift a score again.
    value, caps = apply_caps(context, value)
    # Dissent reads the opinions as given: an overruled judge disagreed all the same.
    dissent = _dissent(context, value)
    rules = (*_set_aside(context), *fact_rules, *bound, *deciding_rules, *caps, *dissent)
    return Ruling(
        score=rounded(value, context.average.rounding),
        rules=rules,
        rationale=_rationale(context, value, rules),
        dissent=dissent_text(context.opinions, context.dossier.evidence) if dissent else None,
    )


def _review(rule: str, why: str) -> Ruling:
    return Ruling(
        score=None, rules=(RuleFired(rule=rule, before=None, after=None, why=why),), rationale=why
    )


def _why_no_quorum(context: RulingContext) -> str:
    given, quorum = len(context.opinions), context.constitution.quorum
    # The failures go into the rationale: a person who reviews needs to know what failed.
    missing = "; ".join(
        f"{TITLES[f.judge]}: {f.failure} ({f.message})" for f in context.answers.failures
    )
    opinions = "an opinion that counts" if context.set_aside else "an opinion"
    counts = f"{given} of 3 judges gave {opinions} and {quorum} are needed."
    return " ".join(filter(None, [counts, _why_set_aside(context), missing]))


def _set_aside(context: RulingContext) -> Fired:
    if not context.set_aside:
        return ()
    standing = {judge: o.score for judge, o in context.answers.standing.items()}
    before, after = context.mean(standing), context.mean(context.scores)
    return (fired_rule("citation_check", before, after, _why_set_aside(context)),)


def _why_set_aside(context: RulingContext) -> str:
    titles = [TITLES[judge] for judge in PERSONAS if judge in context.set_aside]
    if not titles:
        return ""
    return f"Set aside for citing what was not shown: {', '.join(titles)}."


def _unsupported(context: RulingContext) -> dict[Persona, str]:
    reasons = {
        judge: contradiction_of(opinion, context.dossier)
        for judge, opinion in context.opinions.items()
    }
    return {judge: why for judge, why in reasons.items() if why}


def _why_unsupported(context: RulingContext) -> str:
    return "; ".join(f"{TITLES[judge]} {why}" for judge, why in _unsupported(context).items()) + "."


def _uphold_facts(context: RulingContext) -> tuple[Fired, Scores]:
    """Return the scores after fact supremacy; {} when no opinion is supported."""
    rule = context.find(FactSupremacy)
    given = context.scores
    is_for_all = rule and rule.overrule_unsupported and rule.overruled == "every_judge"
    unsupported = _unsupported(context) if is_for_all else {}
    upheld = upheld_scores(context.opinions, unsupported)
    if not upheld or upheld == given:
        return (), upheld
    why = "; ".join(
        f"{TITLES[judge]} gave {given[judge]} but {why}: taken as {upheld[judge]}"
        for judge, why in unsupported.items()
        if given[judge] != upheld[judge]
    )
    return (
        fired_rule("fact_supremacy", context.mean(given), context.mean(upheld), f"{why}."),
    ), upheld


def _decide(context: RulingContext, scores: Scores) -> tuple[Fraction, Fired]:
    """Return the Tech Lead's score where a rule gives it that weight, else the weighted mean.

    An unsupported Defense leaves the decision to the others, where a rule says so.
    """
    mean = context.mean(scores)
    why_overruled = _why_defense_is_overruled(context, scores)
    if why_overruled:
        higher = Fraction(max(score for judge, score in scores.items() if judge != "Defense"))
        why = f"{why_overruled}: the higher score of the others, {higher}, decides."
        return higher, (fired_rule("fact_supremacy", mean, higher, why),)

    settled, variance_rules = _re_evaluate(context, scores, mean)
    lead = _functionality_lead(context, scores)
    if lead is not None:
        why = f"{context.criterion.name} is decided by the Tech Lead: {lead}."
        before = mean if settled is None else settled
        return Fraction(lead), (
            *variance_rules,
            fired_rule("functionality_weight", before, Fraction(lead), why),
        )
    if settled is not None:
        return settled, variance_rules
    return mean, (*variance_rules, *_average(context, scores, mean))


def _why_defense_is_overruled(context: RulingContext, scores: Scores) -> str:
    rule, defense = context.find(FactSupremacy), context.opinions.get("Defense")
    prosecutor = scores.get("Prosecutor")
    is_applied = rule and rule.overrule_unsupported and rule.overruled == "defense"
    # Without a Prosecutor the Defense is above nobody.
    if not is_applied or defense is None or prosecutor is None or defense.score <= prosecutor:
        return ""
    lack = lack_of_support(defense, context.dossier)
    return f"Defense gave {defense.score} but {lack}" if lack else ""


def _re_evaluate(
    context: RulingContext, scores: Scores, mean: Fraction
) -> tuple[Fraction | None, Fired]:
    """Return the Tech Lead's score if the spread stayed too large; None leaves it to later rules."""
    rule = context.find(VarianceReEvaluation)
    if rule is None:
        return None, ()
    first = context.answers.first_scores if context.answers.rounds > 1 else {}
    spread = spread_of(scores.values())
    if not first and spread <= rule.spread_above:
        return None, ()
    lead = (
        scores.get("TechLead") if spread > rule.spread_above and rule.then == "tech_lead" else None
    )
    settled = None if lead is None else Fraction(lead)
    why = (
        f"Second round: {list_scores(first)} became {list_scores(context.scores)}. "
        if first
        else ""
    )
    before, after = context.mean(first) if first else mean, mean if settled is None else settled
    return settled, (
        fired_rule(rule.kind, before, after, (why + _why_above(rule, spread, lead)).strip()),
    )


def _why_above(rule: VarianceReEvaluation, spread: int, lead: int | None) -> str:
    if spread <= rule.spread_above:
        return ""
    settled = "they are averaged" if lead is None else f"the Tech Lead decides, {lead}"
    return f"The judges differ by {spread} points, more than {rule.spread_above}: {settled}."


def _functionality_lead(context: RulingContext, scores: Scores) -> int | None:
    rule = context.find(FunctionalityWeight)
    applies = rule and (rule.applies_to == "every_criterion" or context.criterion.architecture)
    return scores.get("TechLead") if applies else None


def _average(context: RulingContext, scores: Scores, mean: Fraction) -> Fired:
    if not context.average.on_unanimity and spread_of(scores.values()) == 0:
        return ()
    why = (
        _agreement(scores) or f"The weighted mean of {list_scores(scores)} is {displayed(mean):g}."
    )
    return (fired_rule("weighted_average", None, mean, why),)


def _agreement(scores: Scores) -> str:
    if spread_of(scores.values()):
        return ""
    return f"The judges agree on {next(iter(scores.values()))}."


def _dissent(context: RulingContext, value: Fraction) -> Fired:
    rule = context.find(DissentRequirement)
    spread = spread_of(context.scores.values())
    if rule is None or spread < rule.spread_from:
        return ()
    why = f"The judges differ by {spread} points: each is quoted."
    return (fired_rule(rule.kind, value, value, why),)


def _rationale(context: RulingContext, value: Fraction, rules: Fired) -> str:
    score = rounded(value, context.average.rounding)
    agreement = _agreement(context.scores)
    rounding = [f"{displayed(value):g} is rounded to {score}."] if value != score else []
    sentences = dict.fromkeys([agreement, *(rule.why for rule in rules), *rounding])
    return " ".join(filter(None, sentences))
