"""Caps for security after which no rule asks the facts."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.early_caps import early_caps
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import layers_of, symbols_of

HELPERS = """
def cap_for_security(p, score):
    if p and has_security_flaw(p):
        return min(score, 3)
    return None
def rule_of_evidence(evidence, d, t):
    if evidence and not evidence.found and d.score >= 4:
        return min(t.score, d.score - 2)
    return None
"""
BY_HELPERS = """
    score = cap_for_security(p, mean(state['scores']))
    if score is not None:
        return score
    score = rule_of_evidence(evidence, d, t)
    if score is not None:
        return score
    return mean(state['scores'])
"""
INLINE = """
    final_score = mean(state['scores'])
    if security_flaw:
        final_score = min(3, {base})
    {how} evidence and not evidence.found and d.score >= 4:
        final_score = t.score
    return final_score
"""
FACTS_FIRST = """
    final_score = mean(state['scores'])
    if evidence and not evidence.found and d.score >= 4:
        final_score = t.score
    if security_flaw:
        return min(3, final_score)
    return final_score
"""


def early_lines(body: str) -> list[int]:
    code = f"def chief_justice(state, p, d, t, evidence, security_flaw):{body}{HELPERS}"
    symbols = symbols_of({"src/justice.py": code})
    call_graph, layers = layers_of(symbols)
    rules = read_rules(call_graph, layers, read_graph(symbols, {}))
    caps, facts = (rules[name].lines for name in ("security_override", "fact_supremacy"))
    assert caps
    assert facts
    return [cap.line for cap in early_caps(layers.justice, caps, facts)]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (BY_HELPERS, [3]),
        (INLINE.format(base="final_score", how="elif"), [3]),
        (INLINE.format(base="final_score", how="if"), []),
        (INLINE.format(base="min(state['scores'])", how="elif"), []),
        (FACTS_FIRST, []),
    ],
)
def test_cap_that_leaves_the_facts_unasked_is_shown_where_it_holds(body: str, lines: list[int]):
    assert early_lines(body) == lines
