"""Functions beside the Chief Justice's that nothing calls."""

import pytest

from courtroom.analysis.langgraph.judging.uncalled_helpers import (
    uncalled_helpers,
    uncalled_rules,
    unused_helpers,
)
from tests.courtroom.sources import layers_of, symbols_of

GRAPH = """
from langgraph.graph import StateGraph
from justice import chief_justice
builder = StateGraph(dict)
builder.add_node("chief_justice", chief_justice)
builder.add_edge("chief_justice", "__end__")
builder.set_entry_point("chief_justice")
"""
VERDICT = "def chief_justice(state):\n    return {'score': mean(state['opinions'])}\n"
CALLED = "def mean(scores):\n    return sum(scores) / len(scores)\n"


def helpers_of(*functions: str, other: str = ""):
    code = "\n".join([VERDICT, CALLED, *functions])
    symbols = symbols_of({"graph.py": GRAPH, "justice.py": code, "other.py": other})
    _, layers = layers_of(symbols)
    return symbols, layers, uncalled_helpers(symbols, layers)


def test_function_whose_name_stands_nowhere_else_is_called_by_nothing():
    spread = "def spread_of(scores):\n    return max(scores) - min(scores)\n"
    symbols, layers, helpers = helpers_of(spread)
    assert [helper.name for helper in helpers] == ["spread_of"]
    (fault,) = unused_helpers(symbols, layers)
    assert (fault.sentence, fault.is_minor) == ("Nothing calls spread_of()", True)


@pytest.mark.parametrize(
    ("function", "other"),
    [
        ("def spread_of(scores):\n    return scores\n", "from justice import spread_of"),
        ("def spread_of(scores):\n    return scores\n", "RULES = {'spread': 'spread_of'}"),
        ("@tool\ndef spread_of(scores):\n    return scores\n", ""),
        ("class Rules(Base):\n    def spread_of(self):\n        return 1\n", ""),
        ("def spread_of(scores):\n    return scores\nrule = getattr(rules, name)\n", ""),
    ],
)
def test_function_that_may_be_called_otherwise_is_none(function: str, other: str):
    assert helpers_of(function, other=other)[-1] == []


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("fact_supremacy", "fact_supremacy"),
        ("_weighted_score", "functionality_weight"),
        ("apply_security_override", "security_override"),
    ],
)
def test_rule_that_nothing_calls_is_named_with_its_rule_alone(name: str, rule: str):
    symbols, layers, helpers = helpers_of(f"def {name}(scores):\n    return scores['TechLead']\n")
    assert [helper.name for helper in uncalled_rules(helpers, rule)] == [name]
    assert list(unused_helpers(symbols, layers)) == []


def test_weights_of_other_personas_are_no_weight_of_the_tech_lead():
    weights = "def weighted_score(scores):\n    return scores['cynic'] * 0.45\n"
    *_, helpers = helpers_of(weights)
    assert uncalled_rules(helpers, "functionality_weight") == []
