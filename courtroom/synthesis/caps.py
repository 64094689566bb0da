"""The rules that only lower: confirmed security flaws and weak evidence."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from courtroom.models.record import JudicialOpinion, RuleFired
from courtroom.synthesis.evidence_weight import mean_confidence, security_flaws
from courtroom.synthesis.rules import FactSupremacy, SecurityOverride
from courtroom.synthesis.ruling_context import Bar, Fired, fired, shown
from courtroom.synthesis.score_arithmetic import exact

# What a Prosecutor says when a security flaw is meant; read only where `trigger` is "argument".
SECURITY_WORDS = (
    "security",
    "vulnerab",
    "injection",
    "os.system",
    "shell=true",
    "unsafe",
    "exploit",
)


def capped(bar: Bar, value: Fraction) -> tuple[Fraction, Fired]:
    """The value under every cap that applies; a cap above the value fires and changes nothing."""
    trace: list[RuleFired] = []
    for rule, cap, why in (*_security_cap(bar), *_weakness_cap(bar)):
        lowered = min(value, Fraction(cap))
        trace.append(fired(rule, value, lowered, f"{why} The score is at most {cap}."))
        value = lowered
    return value, tuple(trace)


def _security_cap(bar: Bar) -> Iterator[tuple[str, int, str]]:
    rule = bar.find(SecurityOverride)
    why = _why_insecure(bar, rule) if rule else ""
    if rule and why:
        yield rule.kind, rule.cap, why


def _why_insecure(bar: Bar, rule: SecurityOverride) -> str:
    if rule.trigger == "argument":
        return (
            "The Prosecutor argues a security flaw."
            if _accuses(bar.opinions.get("Prosecutor"), rule)
            else ""
        )
    flaws = security_flaws(bar.exhibits, bar.dossier, rule.min_confidence)
    return (
        f"Confirmed security evidence: {', '.join(piece.id for piece in flaws)}." if flaws else ""
    )


def _accuses(opinion: JudicialOpinion | None, rule: SecurityOverride) -> bool:
    if opinion is None or opinion.score > rule.prosecutor_at_most:
        return False
    return any(word in opinion.argument.lower() for word in SECURITY_WORDS)


def _weakness_cap(bar: Bar) -> Iterator[tuple[str, int, str]]:
    rule = bar.find(FactSupremacy)
    if rule is None or rule.weak_below is None:
        return
    confidence = mean_confidence(bar.exhibits)
    if confidence is not None and confidence < exact(rule.weak_below):
        mean = f"its mean confidence is {shown(confidence):g}, below {rule.weak_below:g}"
        yield rule.kind, rule.weak_cap, f"The evidence is weak: {mean}."
