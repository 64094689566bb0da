"""Settings of a score after a rule: what lifts it above the cap, and what changes nothing."""

from __future__ import annotations

from textwrap import indent

import pytest

from courtroom.analysis.langgraph.judging.loose_rules import loose_caps, loose_rules
from courtroom.analysis.langgraph.judging.rule_detection import read_rules
from courtroom.analysis.langgraph.topology import read_graph
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import layers_of, symbols_of

CAP = "if security_flaw:\n    score = min(score, 3)\n"


def code_of(body: str) -> str:
    return (
        "def chief_justice(criterion, p, d, tech_lead, evidences):\n"
        "    score = round((p.score + d.score + tech_lead.score) / 3)\n"
        f"{indent(body, '    ')}\n"
        "    return score\n"
    )


def lifted(body: str) -> list[int]:
    """Return the lines that lift a score above its cap, counted from the first of the body."""
    symbols = symbols_of({"src/justice.py": code_of(body)})
    functions = [FunctionRef(*entry) for entry in symbols.functions_by_name["chief_justice"]]
    rules = [rule for rule in loose_caps(functions) if rule.is_lifted]
    assert not any(rule in rules for rule in loose_rules(functions))
    assert all(f"line {rule.line} can lift" in rule.sentence for rule in rules)
    return [rule.line - 2 for rule in rules]


@pytest.mark.parametrize(
    "later",
    [
        "if variance > 2:\n    score = tech_lead.score",
        "if about_architecture:\n    score = max(1, min(5, round((score + 2 * tech_lead.score) / 3)))",
        "score = max(score, 4)",
        "score += 1",
        "score = min(5, score + 0.5)",
        "median_score = median(scores)\nscore = median_score",
        "if variance > 2:\n    score = round(sorted(scores)[len(scores) // 2])",
        "if about_architecture:\n    score = weighted_score(scores, tech_lead.score)",
    ],
)
def test_setting_that_can_lift_a_capped_score_is_named(later):
    assert lifted(f"{CAP}{later}") == [3 + later.count("\n")]


@pytest.mark.parametrize(
    "later",
    [
        "score = max(1, min(5, round(score)))",
        "rounded = round(score)\nscore = rounded",
        "if not evidences:\n    score = min(score, 2)",
        "score -= 1",
        "score = score - p.score / 5",
        "if d and not security_flaw:\n    score = tech_lead.score",
        f"score = tech_lead.score\n{CAP}",
        "score = 1",
        "if not cited and score > 4:\n    score = 4",
        "score = checked(score, tech_lead.score)",
        "score = weighted_score(score, tech_lead.score)",
        "score = limits[criterion]",
        "for score in scores:\n    total = score",
    ],
)
def test_setting_that_keeps_below_the_cap_is_no_fault(later):
    assert lifted(f"{CAP}{later}") == []


@pytest.mark.parametrize(
    "body",
    [
        "if security_flaw:\n    score = min(score, 3)\n    return score\nscore = tech_lead.score",
        "if security_flaw:\n    score = min(score, 3)\nelse:\n    score = tech_lead.score",
        (
            "capped = False\nif security_flaw:\n    score = min(score, 3)\n    capped = True\n"
            "if not capped:\n    score = tech_lead.score"
        ),
        "if security_flaw and p.score <= 2:\n    score = min(score, 3)\nscore = p.score",
        (
            "if security_flaw and criterion == 'safe':\n    score = min(score, 3)\n"
            "if criterion in ('graph', 'state') and d:\n    score = tech_lead.score"
        ),
        (
            "for c in criteria:\n    if security_flaw:\n        score = min(score, 3)\n"
            "for c in criteria:\n    score = tech_lead.score"
        ),
    ],
)
def test_setting_that_no_capped_score_comes_to_is_no_fault(body):
    assert lifted(body) == []


def applies_facts(body: str) -> bool:
    symbols = symbols_of({"src/justice.py": code_of(body)})
    call_graph, layers = layers_of(symbols)
    rules = read_rules(call_graph, layers, read_graph(symbols, {}))
    return bool(rules["fact_supremacy"].lines)


UNSUPPORTED = "if not any(e.found for e in evidences):\n    "


@pytest.mark.parametrize(
    "body",
    [
        f"final_score = tech_lead.score\n{UNSUPPORTED}final_score = tech_lead.score",
        f"score = tech_lead.score\n{CAP}{UNSUPPORTED}score = tech_lead.score",
    ],
)
def test_rule_on_evidence_that_sets_the_score_it_has_is_no_rule(body):
    assert applies_facts(body) is False


@pytest.mark.parametrize(
    "body",
    [
        f"{UNSUPPORTED}score = tech_lead.score",
        f"final_score = d.score\n{UNSUPPORTED}final_score = tech_lead.score",
        f"score = p.score\nif d:\n    score = d.score\n{UNSUPPORTED}score = p.score",
        f"if d:\n    score = p.score\n{UNSUPPORTED}score = p.score",
        f"low = 2\nscore = low\nlow = 1\n{UNSUPPORTED}score = low",
    ],
)
def test_rule_on_evidence_that_sets_another_score_is_a_rule(body):
    assert applies_facts(body) is True


def test_last_of_several_settings_that_lift_a_capped_score_is_named():
    later = "score = max(score, 4)\nif variance > 2:\n    score = tech_lead.score\nscore -= 1"
    assert lifted(f"{CAP}{later}") == [5]
