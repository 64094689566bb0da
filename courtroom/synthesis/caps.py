"""Rules that only lower a score: confirmed security flaws and weak evidence."""

from __future__ import annotations

from fractions import Fraction

from courtroom.models.judge_answer import JudicialOpinion
from courtroom.synthesis.evidence_weight import mean_confidence, security_flaws
from courtroom.synthesis.rules import FactSupremacy, SecurityOverride
from courtroom.synthesis.ruling_context import Applied, AppliedRule, RulingContext, fired, unfired
from courtroom.synthesis.score_arithmetic import decimal, exact


def apply_caps(context: RulingContext, value: Fraction) -> tuple[Fraction, Applied]:
    """Return the value under every cap that applies; a cap above it fires and changes nothing."""
    value, security = _security_cap(context, value)
    value, weakness = _weakness_cap(context, value)
    return value, (*security, *weakness)


def _security_cap(context: RulingContext, value: Fraction) -> tuple[Fraction, Applied]:
    rule = context.find(SecurityOverride)
    if rule is None:
        return value, context.left_out(SecurityOverride)
    if rule.trigger == "argument":
        is_insecure, read = _argued_flaw(context.opinions.get("Prosecutor"), rule)
        why = "The Prosecutor argues a security flaw."
    else:
        flaws = security_flaws(context.evidence_items, context.dossier, rule.min_confidence)
        is_insecure, ids = bool(flaws), ", ".join(piece.id for piece in flaws)
        read = f"confirmed security evidence: {ids}" if flaws else _no_flaw(rule)
        why = f"Confirmed security evidence: {ids}."
    if not is_insecure:
        return value, (_no_cap(rule.kind, read, value),)
    return _capped(rule.kind, value, rule.cap, why, read)


def _no_flaw(rule: SecurityOverride) -> str:
    return f"no confirmed security evidence with a confidence of {rule.min_confidence:g} or more"


def _argued_flaw(opinion: JudicialOpinion | None, rule: SecurityOverride) -> tuple[bool, str]:
    """Return whether the Prosecutor argues a security flaw, and what was read, in words."""
    if opinion is None:
        return False, "the Prosecutor gave no score"
    if opinion.score > rule.prosecutor_at_most:
        return False, f"the Prosecutor gave {opinion.score}, more than {rule.prosecutor_at_most}"
    # Reading words misfires ("no os.system() calls found"); the default constitution reads tags.
    word = next((word for word in rule.words if word.lower() in opinion.argument.lower()), None)
    if word is None:
        return False, "the Prosecutor's argument has no word for a security flaw"
    return True, f"the Prosecutor gave {opinion.score} and argues with “{word}”"


def _weakness_cap(context: RulingContext, value: Fraction) -> tuple[Fraction, Applied]:
    rule = context.find(FactSupremacy)
    if rule is None or rule.weak_below is None:
        return value, ()
    confidence = mean_confidence(context.evidence_items)
    if confidence is None:
        return value, (_no_cap(rule.kind, "no evidence, so no mean confidence", value),)

    mean = f"mean confidence is {decimal(confidence)}"
    if confidence >= exact(rule.weak_below):
        read = f"the evidence's {mean}, not below {rule.weak_below:g}"
        return value, (_no_cap(rule.kind, read, value),)
    below = f"{mean}, below {rule.weak_below:g}"
    why = f"The evidence is weak: its {below}."
    return _capped(rule.kind, value, rule.weak_cap, why, f"the evidence's {below}")


def _no_cap(rule: str, read: str, value: Fraction) -> AppliedRule:
    return unfired(rule, read, f"no cap, {decimal(value)} stays")


def _capped(rule: str, value: Fraction, cap: int, why: str, read: str) -> tuple[Fraction, Applied]:
    # A cap that changes nothing is recorded as well: the report shows that it applies.
    lowered = min(value, Fraction(cap))
    change = f"{decimal(value)} " + ("stays" if lowered == value else f"becomes {cap}")
    why = f"{why} The score is at most {cap}."
    rules = (fired(rule, value, lowered, why, read=read, result=f"at most {cap}, so {change}"),)
    return lowered, rules
