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
Each rule leaves a step in words, with its input and output, fired or not: who adds them up by hand
comes to the same score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from courtroom.models.audit_report import RuleFired, RuleStep
from courtroom.models.judge_answer import PERSONAS, Persona
from courtroom.synthesis.caps import apply_caps
from courtroom.synthesis.dissent import dissent_text
from courtroom.synthesis.evidence_weight import (
    contradiction_of,
    lack_of_support,
    upheld_scores,
)
from courtroom.synthesis.opinions import TITLES, list_scores, spread_formula, spread_of
from courtroom.synthesis.outcome_bound import bound_by_outcomes
from courtroom.synthesis.rules import (
    CitationCheck,
    DissentRequirement,
    FactSupremacy,
    FunctionalityWeight,
    GuardedRule,
    Rounding,
    VarianceReEvaluation,
    WeightedAverage,
)
from courtroom.synthesis.ruling_context import (
    NO_SCORE,
    Applied,
    AppliedRule,
    RulingContext,
    Scores,
    fired,
    unfired,
)
from courtroom.synthesis.score_arithmetic import decimal, rounded, weighted_mean_formula
from courtroom.synthesis.second_hearing import (
    as_first_round,
    compare,
    is_missing,
    unconfirmed,
    undoubted,
)

NOT_ASKED = "No judge was asked: a step of the audit before them failed."
ROUNDINGS: Mapping[Rounding, str] = {"half_up": "half up", "half_even": "half to even"}


@dataclass(frozen=True, slots=True)
class Ruling:
    """Decision on one criterion: `score` is None when a person decides.

    `rules` fired in this order; `steps` are those of all rules.
    """

    score: int | None
    rules: tuple[RuleFired, ...]
    rationale: str
    steps: tuple[RuleStep, ...]
    dissent: str | None = None


def decide_criterion(context: RulingContext) -> Ruling:
    """Decide one criterion in the order above."""
    ruling = _rule_on(context)
    if ruling.score is None:
        return ruling
    if context.answers.on_outcomes:
        other = _rule_on(replace(context, answers=as_first_round(context.answers)))
        hearing = compare(ruling.score, other.score, context.answers)
    elif is_missing(context):
        hearing = unconfirmed(context, ruling.score)
    else:
        return replace(ruling, steps=(*ruling.steps, *undoubted(context, ruling.score)))

    effect = hearing.effect
    return replace(
        ruling,
        score=ruling.score if effect.after else None,
        rules=(*ruling.rules, effect),
        rationale=f"{ruling.rationale} {effect.why}",
        steps=(*ruling.steps, hearing.step),
    )


def _rule_on(context: RulingContext) -> Ruling:
    """Decide on the opinions that this context holds."""
    begin: Applied = (_given_scores(context), _quorum(context))
    if len(context.answers.standing) < context.constitution.quorum:
        return _review("quorum", _why_no_quorum(context), begin[:1], _count_of_opinions(context))
    if context.applicable.unclear:
        return _review("guard", context.applicable.unclear, begin)
    if len(context.opinions) < context.constitution.quorum:
        return _review("citation_check", _why_no_quorum(context), begin)
    # Facts come first: every later rule decides on supported scores only.
    begin = (*begin, *_set_aside(context))
    fact_rules, scores = _uphold_facts(context)
    if not scores:
        why = f"No opinion is supported by what it cites. {_why_unsupported(context)}"
        return _review("fact_supremacy", why, begin)

    bound, scores = bound_by_outcomes(context, scores)
    value, deciding_rules = _decide(context, scores)
    # Caps come after every rule that decides, so that none of them can lift a score again.
    value, caps = apply_caps(context, value)
    # Dissent reads the opinions as given: an overruled judge disagreed all the same.
    dissent = _dissent(context, value)
    applied = (*begin, *fact_rules, *bound, *deciding_rules, *caps, *dissent)
    rules = tuple(row.effect for row in applied if row.effect)
    has_dissent = any(row.effect for row in dissent)
    return Ruling(
        score=rounded(value, context.average.rounding),
        rules=rules,
        rationale=_rationale(context, value, rules),
        steps=(*(row.step for row in applied), _rounding(context, value)),
        dissent=dissent_text(context.opinions, context.dossier.evidence) if has_dissent else None,
    )


def _review(rule: str, why: str, begin: Applied, read: str = "") -> Ruling:
    step = RuleStep(rule=rule, fired=True, input=read or why.rstrip("."), output=NO_SCORE)
    return Ruling(
        score=None,
        rules=(RuleFired(rule=rule, before=None, after=None, why=why),),
        rationale=why,
        steps=(*(row.step for row in begin), step),
    )


def _given_scores(context: RulingContext) -> AppliedRule:
    """Return the scores that the rules begin with, and why a judge has none."""
    standing = context.answers.standing
    scores = list_scores({judge: opinion.score for judge, opinion in standing.items()})
    failures = (f"{TITLES[f.judge]} no score ({f.failure})" for f in context.answers.failures)
    given = ", ".join(filter(None, [scores, *failures])) or "none"
    read = "the judges' latest scores" if context.answers.rounds > 1 else "the judges' scores"
    return AppliedRule(RuleStep(rule="judges", fired=True, input=read, output=given))


def _quorum(context: RulingContext) -> AppliedRule:
    return unfired("quorum", _count_of_opinions(context), "enough for a score")


def _count_of_opinions(context: RulingContext) -> str:
    given, quorum = len(context.answers.standing), context.constitution.quorum
    return f"{given} of {len(PERSONAS)} judges gave a score, {quorum} needed"


def _rounding(context: RulingContext, value: Fraction) -> RuleStep:
    rounding = context.average.rounding
    words = f"{decimal(value)}, rounded {ROUNDINGS[rounding]}"
    return RuleStep(rule="rounding", fired=True, input=words, output=str(rounded(value, rounding)))


def _why_no_quorum(context: RulingContext) -> str:
    given, quorum = len(context.opinions), context.constitution.quorum
    # The failures go into the rationale: a person who reviews needs to know what failed.
    reasons: dict[str, list[str]] = {}
    for failure in context.answers.failures:
        reason = f"{failure.failure} ({failure.message.rstrip('.')})"
        reasons.setdefault(reason, []).append(TITLES[failure.judge])
    missing = "; ".join(f"{', '.join(judges)}: {reason}" for reason, judges in reasons.items())
    opinions = "an opinion that counts" if context.set_aside else "an opinion"
    counts = f"{given} of 3 judges gave {opinions} and {quorum} are needed."
    unasked = "" if context.answers.answers else NOT_ASKED
    return " ".join(filter(None, [counts, _why_set_aside(context), missing, unasked]))


def _set_aside(context: RulingContext) -> Applied:
    if not context.find(CitationCheck):
        return context.left_out(CitationCheck)
    if not context.set_aside:
        read = "each judge cites only what it was shown"
        return (unfired("citation_check", read, "every opinion counts"),)
    standing = {judge: o.score for judge, o in context.answers.standing.items()}
    before, after = context.mean(standing), context.mean(context.scores)
    why = _why_set_aside(context)
    result = list_scores(context.scores)
    return (fired("citation_check", before, after, why, read=why.rstrip("."), result=result),)


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


def _uphold_facts(context: RulingContext) -> tuple[Applied, Scores]:
    """Return the scores after fact supremacy; {} when no opinion is supported."""
    rule, given = context.find(FactSupremacy), context.scores
    if rule is None:
        return context.left_out(FactSupremacy), given
    if not rule.overrule_unsupported or rule.overruled != "every_judge":
        return (), given
    unsupported = _unsupported(context)
    upheld = upheld_scores(context.opinions, unsupported)
    if not upheld or upheld == given:
        return (_facts_change_nothing(given, unsupported),), upheld

    reasons = {judge: why for judge, why in unsupported.items() if given[judge] != upheld[judge]}
    phrases = {
        judge: f"{TITLES[judge]} gave {given[judge]} but {reasons[judge]}" for judge in reasons
    }
    why = "; ".join(f"{phrases[judge]}: taken as {upheld[judge]}" for judge in phrases)
    applied = fired(
        rule.kind,
        context.mean(given),
        context.mean(upheld),
        f"{why}.",
        read="; ".join(phrases.values()),
        result=list_scores(upheld),
    )
    return (applied,), upheld


def _facts_change_nothing(given: Scores, unsupported: Mapping[Persona, str]) -> AppliedRule:
    phrases = [f"{TITLES[judge]} {why}" for judge, why in unsupported.items()]
    read = (
        "; ".join([*phrases, "no supported score is nearer"])
        if phrases
        else ("every score is supported by what its judge cites")
    )
    return unfired("fact_supremacy", read, f"{list_scores(given)} stay")


def _decide(context: RulingContext, scores: Scores) -> tuple[Fraction, Applied]:
    """Return the Tech Lead's score where a rule gives it that weight, else the weighted mean.

    An unsupported Defense leaves the decision to the others, where a rule says so.
    """
    mean = context.mean(scores)
    overruling, higher = _overrule_defense(context, scores, mean)
    if higher is not None:
        kinds = (VarianceReEvaluation, FunctionalityWeight, WeightedAverage)
        skipped = (_already_decided(kind, higher) for kind in kinds if context.find(kind))
        return higher, (*overruling, *skipped)

    settled, variance_rules = _re_evaluate(context, scores, mean)
    before = mean if settled is None else settled
    lead, lead_rules = _functionality_lead(context, scores, before)
    decided = settled if lead is None else lead
    if decided is not None:
        average: Applied = (_already_decided(WeightedAverage, decided),)
    else:
        decided, average = mean, _average(context, scores, mean)
    return decided, (*overruling, *variance_rules, *lead_rules, *average)


def _already_decided(kind: type[GuardedRule], value: Fraction) -> AppliedRule:
    name = kind.model_fields["kind"].default
    return unfired(name, "a rule before has decided", f"{decimal(value)} stays")


def _overrule_defense(
    context: RulingContext, scores: Scores, mean: Fraction
) -> tuple[Applied, Fraction | None]:
    """Return the higher score of the others where the Defense is overruled, else None."""
    rule = context.find(FactSupremacy)
    if rule is None or not rule.overrule_unsupported or rule.overruled != "defense":
        return (), None
    lack, read = _lack_of_defense(context, scores)
    if not lack:
        return (unfired(rule.kind, read, f"{list_scores(scores)} stay"),), None
    others: Scores = {judge: score for judge, score in scores.items() if judge != "Defense"}
    higher = Fraction(max(others.values()))
    why = f"{read}: the higher score of the others, {higher}, decides."
    result = f"the higher of {list_scores(others)} decides: {higher}"
    return (fired(rule.kind, mean, higher, why, read=read, result=result),), higher


def _lack_of_defense(context: RulingContext, scores: Scores) -> tuple[str, str]:
    """Return what the Defense lacks, "" where it is not overruled, and what was read, in words."""
    defense, prosecutor = context.opinions.get("Defense"), scores.get("Prosecutor")
    # Without a Prosecutor the Defense is above nobody.
    if defense is None or prosecutor is None:
        return "", "Prosecutor and Defense did not both give a score"
    if defense.score <= prosecutor:
        return "", f"the Defense's {defense.score} is not above the Prosecutor's {prosecutor}"
    lack = lack_of_support(defense, context.dossier)
    if not lack:
        return "", f"the Defense's {defense.score} is supported by what it cites"
    return lack, f"Defense gave {defense.score} but {lack}"


def _re_evaluate(
    context: RulingContext, scores: Scores, mean: Fraction
) -> tuple[Fraction | None, Applied]:
    """Return the Tech Lead's score if the spread stayed too large; None leaves it to later rules."""
    rule = context.find(VarianceReEvaluation)
    if rule is None:
        return None, context.left_out(VarianceReEvaluation)
    first = context.answers.first_scores if context.answers.rounds > 1 else {}
    spread = spread_of(scores.values())
    is_wide = spread > rule.spread_above
    measured = f"{spread_formula(scores)}, {'' if is_wide else 'not '}above {rule.spread_above}"
    if not first and not is_wide:
        return None, (unfired(rule.kind, measured, "no rule by spread decides"),)

    lead = scores.get("TechLead") if is_wide and rule.then == "tech_lead" else None
    settled = None if lead is None else Fraction(lead)
    rounds = _second_round(list_scores(first), list_scores(context.scores)) if first else ""
    why = f"Second round: {rounds}. " if first else ""
    before, after = context.mean(first) if first else mean, mean if settled is None else settled
    applied = fired(
        rule.kind,
        before,
        after,
        (why + _why_above(rule, spread, lead)).strip(),
        read="; ".join(filter(None, [f"second round: {rounds}" if first else "", measured])),
        result=f"the Tech Lead decides: {lead}" if lead else "a later rule decides",
    )
    return settled, (applied,)


def _second_round(first: str, second: str) -> str:
    return f"{first} stayed" if first == second else f"{first} became {second}"


def _why_above(rule: VarianceReEvaluation, spread: int, lead: int | None) -> str:
    if spread <= rule.spread_above:
        return ""
    settled = "they are averaged" if lead is None else f"the Tech Lead decides, {lead}"
    return f"The judges differ by {spread} points, more than {rule.spread_above}: {settled}."


def _functionality_lead(
    context: RulingContext, scores: Scores, before: Fraction
) -> tuple[Fraction | None, Applied]:
    """Return the Tech Lead's score where this rule lets it decide, else None."""
    rule = context.find(FunctionalityWeight)
    if rule is None:
        return None, context.left_out(FunctionalityWeight)
    lead = scores.get("TechLead")
    is_for_all = rule.applies_to == "every_criterion"
    if not is_for_all and not context.criterion.architecture:
        read = "not a criterion on architecture"
    elif lead is None:
        read = "the Tech Lead gave no score"
    else:
        why = f"{context.criterion.name} is decided by the Tech Lead: {lead}."
        read = "on every criterion" if is_for_all else "a criterion on architecture"
        result = f"the Tech Lead decides: {lead}"
        applied = fired(rule.kind, before, Fraction(lead), why, read=read, result=result)
        return Fraction(lead), (applied,)
    return None, (unfired(rule.kind, read, "the Tech Lead does not decide alone"),)


def _average(context: RulingContext, scores: Scores, mean: Fraction) -> Applied:
    if not context.average.on_unanimity and spread_of(scores.values()) == 0:
        return (unfired("weighted_average", "the judges agree", f"{decimal(mean)} stands"),)
    why = _agreement(scores) or f"The weighted mean of {list_scores(scores)} is {decimal(mean)}."
    weighted = context.weighted(scores)
    weights = ", ".join(
        f"{TITLES[judge]} {decimal(weight)}"
        for judge, (weight, _) in zip(scores, weighted, strict=True)
    )
    read, result = f"weights {weights}", weighted_mean_formula(weighted)
    return (fired("weighted_average", None, mean, why, read=read, result=result),)


def _agreement(scores: Scores) -> str:
    if spread_of(scores.values()):
        return ""
    return f"The judges agree on {next(iter(scores.values()))}."


def _dissent(context: RulingContext, value: Fraction) -> Applied:
    rule = context.find(DissentRequirement)
    if rule is None:
        return context.left_out(DissentRequirement)
    spread = spread_of(context.scores.values())
    measured, stays = f"{spread_formula(context.scores)}", f"{decimal(value)} stays"
    if spread < rule.spread_from:
        read = f"{measured}, below {rule.spread_from}"
        return (unfired(rule.kind, read, f"no dissent to explain, {stays}"),)
    why = f"The judges differ by {spread} points: each is quoted."
    read = f"{measured}, at least {rule.spread_from}"
    result = f"each judge is quoted, {stays}"
    return (fired(rule.kind, value, value, why, read=read, result=result),)


def _rationale(context: RulingContext, value: Fraction, rules: tuple[RuleFired, ...]) -> str:
    score = rounded(value, context.average.rounding)
    agreement = _agreement(context.scores)
    rounding = [f"{decimal(value)} is rounded to {score}."] if value != score else []
    sentences = dict.fromkeys([agreement, *(rule.why for rule in rules), *rounding])
    return " ".join(filter(None, sentences))
