"""Rules in a table of conditions and functions."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.rules import rules_in
from tests.courtroom.sources import justice

TABLE = (
    "def is_insecure(p, c):\n"
    "    return 'injection' in p.argument\n"
    "def cap(p, t):\n"
    "    score = min(3, t.score)\n"
    "    return score, 'capped'\n"
    "def follow(p, tech_lead):\n"
    "    s = tech_lead.score if tech_lead else 3\n"
    "    return s, 'followed'\n"
)
ROWS = "(is_insecure, cap), (lambda p, c: 'architecture' in c, lambda p, t: follow(p, t))"


@pytest.mark.parametrize(
    "before",
    [
        f"{TABLE}RULES = [{ROWS}]",
        f"{TABLE}RULES = [Rule('a', is_insecure, apply=cap), Rule('b', is_architecture, follow)]",
    ],
)
def test_function_in_a_table_of_rules_has_the_condition_beside_it(before):
    before += "\ndef is_architecture(p, c):\n    return 'architecture' in c\n"
    body = "for holds, apply in RULES:\n    if holds(p, 'graph'):\n        return apply(p, t)"

    assert rules_in(justice(body, before)) == {"security_override", "functionality_weight"}


def test_function_that_is_called_without_its_condition_too_is_no_rule():
    body = f"score, text = cap(p, t)\nfor holds, apply in [{ROWS}]:\n    score = apply(p, t)[0]"

    assert rules_in(justice(body, TABLE)) == {"functionality_weight"}
