"""Rules that only lower a score: confirmed security flaws and weak evidence."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from courtroom.models.audit_report import RuleFired
from courtroom.models.judge_answer import JudicialOpinion
from courtroom.synthesis.evidence_weight import mean_confidence, security_flaws
from courtroom.synthesis.rules import FactSupremacy, SecurityOverride
from courtroom.synthesis.ruling_context import Fired, RulingContext, displayed, fired_rule
from courtroom.synthesis.score_arithmetic import exact


def apply_caps(context: RulingContext, value: Fraction) -> tuple[Fraction, Fired]:
    """Return the value under every cap that applies; a cap above it fires and changes nothing."""
    rules: list[RuleFired] = []
    # A cap that changes nothing is recorded as well: the report shows that it applies.
    for rule, cap, why in (*_security_cap(context), *_weakness_cap(context)):
        lowered = min(value, Fraction(cap))
        rules.append(fired_rule(rule, value, lowered, f"{why} The score is at most {cap}."))
        value = lowered
    return value, tuple(rules)


def _security_cap(context: RulingContext) -> Iterator[tuple[str, int, str]]:
    rule = context.find(SecurityOverride)
    why = _why_insecure(context, rule) if rule else ""
    if rule and why:
        yield rule.kind, rule.cap, why


def _why_insecure(context: RulingContext, rule: SecurityOverride) -> str:
    if rule.trigger == "argument":
        return (
            "The Prosecutor argues a security flaw."
            if _argues_security_flaw(context.opinions.get("Prosecutor"), rule)
            else ""
        )
    flaws = security_flaws(context.evidence_items, context.dossier, rule.min_confidence)
    return (
        f"Confirmed security evidence: {', '.join(piece.id for piece in flaws)}." if flaws else ""
    )


def _argues_security_flaw(opinion: JudicialOpinion | None, rule: SecurityOverride) -> bool:
    if opinion is None or opinion.score > rule.prosecutor_at_most:
        return False
    # Reading words misfires ("no os.system() calls found"); the default constitution reads tags.
    return any(word.lower() in opinion.argument.lower() for word in rule.words)


def _weakness_cap(context: RulingContext) -> Iterator[tuple[str, int, str]]:
    rule = context.find(FactSupremacy)
    if rule is None or rule.weak_below is None:
        return
    confidence = mean_confidence(context.evidence_items)
    if confidence is not None and confidence < exact(rule.weak_below):
        mean = f"its mean confidence is {displayed(confidence):g}, below {rule.weak_below:g}"
        yield rule.kind, rule.weak_cap, f"The evidence is weak: {mean}."
