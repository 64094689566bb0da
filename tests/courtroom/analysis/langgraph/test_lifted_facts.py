"""Rules of facts after which another rule can lift the score again."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.lifted_facts import lifted_facts
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import justice, layers_of, symbols_of

FACTS = "if evidences and not any(ev.found for ev in evidences):\n    score = min(score, 2)\n"
HELPERS = """
def by_facts(d, evidences, score):
    if not any(ev.found for ev in evidences) and d.score >= 4:
        return min(score, 3), "facts"
    return score, None
def by_weight(lead, score):
    if lead:
        weighted = round(score * 0.5 + lead.score * 0.5)
        return weighted, "lead"
    return score, None
def by_cap(p, score):
    return min(score, p.score), None
"""


def sentences_of(code: str) -> list[tuple[int, str]]:
    symbols = symbols_of({"src/justice.py": code})
    call_graph, layers = layers_of(symbols)
    facts = read_rules(call_graph, layers, read_graph(symbols, {}))["fact_supremacy"].lines
    assert facts
    return [(rule.line, rule.sentence) for rule in lifted_facts(layers.justice, facts)]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (f"{FACTS}if state['id'] == 'graph':\n    score = t.score", [7]),
        (f"{FACTS}else:\n    score = t.score", []),
        (f"{FACTS}if p.score <= 2:\n    score = min(score, 3)", []),
        (f"if state['id'] == 'graph':\n    score = t.score\n{FACTS}", []),
        # Less by facts than it would be is less still after a mean.
        (f"{FACTS.replace('min(score, 2)', 'max(1, score - 1)')}score = (score + t.score) / 2", []),
    ],
)
def test_later_line_that_lifts_what_facts_set_is_named(body: str, lines: list[int]):
    assert [line for line, _ in sentences_of(justice(body))] == lines


@pytest.mark.parametrize(
    ("call", "lines"),
    [
        ("by_weight(t, score)", [17]),
        ("by_weight(lead=t, score=score)", [17]),
        ("by_cap(p, score)", []),
    ],
)
def test_later_call_that_lifts_what_facts_set_is_named(call: str, lines: list[int]):
    body = f"score, note = by_facts(d, evidences, score)\nscore, other = {call}"
    rows = sentences_of(justice(body, HELPERS))
    assert [line for line, _ in rows] == lines
    assert all(
        sentence
        == (
            "chief_justice() lets facts decide on `score` in line 16, and line 17 can lift it above"
            " that again"
        )
        for _, sentence in rows
    )
